// What every page must be, whatever it says.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Checks a page as somebody who cannot see it, or hardly, meets it; in light and in dark. */
export async function checkPage(page, name) {
  const facts = await page.evaluate(() => ({
    language: document.documentElement.lang,
    title: document.title.length > 0,
    headings: document.querySelectorAll("h1").length,
    mains: document.querySelectorAll("main").length,
    unlabelled: [...document.querySelectorAll("input:not([type=hidden]), select, textarea")]
      .filter((control) => control.labels.length !== 1 || control.labels[0].innerText.trim() === "")
      .map((control) => control.outerHTML),
    dangling: [...document.querySelectorAll("[aria-describedby], [aria-labelledby]")]
      .flatMap((element) => ["aria-describedby", "aria-labelledby"].map((name) => element.getAttribute(name)))
      .flatMap((ids) => (ids ?? "").split(" "))
      .filter((id) => id && document.querySelectorAll(`[id="${CSS.escape(id)}"]`).length !== 1),
    scripts: document.querySelectorAll("script, [onclick], [style], img, iframe").length,
  }));
  assert.deepEqual(
    facts,
    { language: "en", title: true, headings: 1, mains: 1, unlabelled: [], dangling: [], scripts: 0 },
    name,
  );
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    // Evaluated from outside the page: its own policy lets nothing run.
    const violations = await page.evaluate(`${axe}; axe.run(document).then((result) =>
      result.violations.map((found) => ({ rule: found.id, at: found.nodes.map((node) => node.html) })))`);
    assert.deepEqual(violations, [], `${name}, ${colorScheme}`);
    if (process.env.SCREENSHOTS) {
      await page.screenshot({ path: join(process.env.SCREENSHOTS, `${name}-${colorScheme}.png`), fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: null });
}
