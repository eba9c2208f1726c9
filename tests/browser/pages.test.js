// Drives approve-web in a real browser, and asserts what its servers received.
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";

import { checkPage } from "./look.js";
import { browser, servers, site } from "./site.js";

const APPROVAL = "elicitation.approval";
const REASON = "Reason (recorded for audit)";

let asking;
let chromium;
before(async () => {
  asking = servers();
  chromium = await browser();
});
after(async () => {
  await chromium?.close();
  await asking?.end();
});

/** Runs a test with a page for this server, in a browser of its own. */
async function visiting(url, work, { script = true, options } = {}) {
  const pages = await site(url, options);
  const context = await chromium.newContext({ javaScriptEnabled: script });
  context.setDefaultTimeout(10_000);
  const fetched = [];
  context.on("request", (request) => fetched.push(request.url()));
  try {
    await work({ pages, context, page: await context.newPage(), fetched });
    // Whatever servers say, the browser is sent nowhere.
    assert.deepEqual(fetched.filter((address) => !address.startsWith(pages.address)), []);
  } finally {
    await context.close();
    await pages.end();
  }
}

async function startCall(page, pages) {
  await page.goto(pages.address);
  await page.getByRole("button", { name: "Start the call" }).click();
}

const press = (page, name) => page.getByRole("button", { name, exact: true }).click();
const heading = (page) => page.getByRole("heading", { level: 1 }).innerText();
const result = async (page) => JSON.parse(await page.getByRole("region", { name: "Result" }).innerText());

const complete = (text) => ({ resultType: "complete", content: [{ type: "text", text }] });
const asked = (requests, requestState) => ({ resultType: "input_required", inputRequests: requests, requestState });
const form = (properties, required, message = "Please fill this in.") => ({
  method: "elicitation/create",
  params: { mode: "form", message, requestedSchema: { type: "object", properties, required } },
});
const link = (url) => ({ method: "elicitation/create", params: { mode: "url", message: "Please pay.", url } });

/** Asserts that the rounds of one call were sent: new ids, the same call, and what each round adds to it. */
const assertPosts = (...rounds) => assertSent(rounds, false);

async function assertSent(rounds, crashed) {
  const posts = await asking.posts();
  assert.equal(posts.length, rounds.length);
  const ids = posts.map((post) => post.id);
  // Nobody knows how many ids a process has used that was ended while it sent; none is that of the first request.
  if (crashed) assert.equal(ids.indexOf(ids[0], 1), -1, "each round has an id other than the first");
  else assert.equal(new Set(ids).size, posts.length, "each POST has an id of its own");
  posts.forEach((post, index) => {
    const { inputResponses, requestState, _meta, ...call } = post.params;
    const { inputResponses: none, requestState: noState, _meta: _, ...first } = posts[0].params;
    assert.deepEqual({ method: post.method, call }, { method: "tools/call", call: first });
    assert.deepEqual({ inputResponses, requestState }, { inputResponses: undefined, requestState: undefined, ...rounds[index] });
  });
}

const accepted = (content) => ({ action: "accept", content });
const approved = (answer) => ({ inputResponses: { elicitation: answer }, requestState: "awaiting-elicitation" });

for (const script of [true, false]) {
  const how = script ? "" : ", without JavaScript";

  test(`a wrong value shows its field's error and stays, a right one ends with the tool's result${how}`, async () => {
    const url = await asking.kitchen(APPROVAL);
    await visiting(url, async ({ pages, page }) => {
      await page.goto(pages.address);
      assert.equal(await heading(page), "Calls that wait for you");
      if (script) await checkPage(page, "nothing-waits");
      await press(page, "Start the call");

      const question = page.url();
      assert.equal(await heading(page), "run_configured_test_scenario asks for input");
      const facts = await page.locator("main dl").first().innerText();
      assert.ok(facts.includes(url) && facts.includes("run_configured_test_scenario"), facts);
      await page.getByText("Approve running this MCP test scenario?").waitFor();
      const reason = page.getByLabel(REASON);
      assert.equal(await reason.getAttribute("required"), "");
      assert.equal(await reason.getAttribute("aria-invalid"), null);
      if (script) await checkPage(page, "question");

      for (const [wrong, fault] of [
        ["", "must be filled in"],
        ["ä".repeat(201), "must be at most 200 characters long"],
      ]) {
        await reason.fill(wrong);
        await press(page, "Send answer");
        assert.match(await page.title(), /^Error: /);
        assert.equal(await reason.getAttribute("aria-invalid"), "true");
        assert.equal(await reason.inputValue(), wrong);
        const described = (await reason.getAttribute("aria-describedby")).split(" ").at(-1);
        assert.equal(await page.locator(`[id="${described}"]`).textContent(), `Error: ${REASON} ${fault}`);
        const summary = page.getByRole("alert");
        assert.deepEqual(await summary.getByRole("listitem").allInnerTexts(), [`${REASON} ${fault}`]);
        assert.equal(await page.locator(":focus").getAttribute("role"), "alert");
        await summary.getByRole("link").click();
        assert.equal(await page.locator(":focus").getAttribute("name"), "f0");
      }
      if (script) await checkPage(page, "question-with-an-error");
      await assertPosts({});

      await reason.fill("checked – “yes”");
      await press(page, "Send answer");
      assert.equal(await heading(page), "Done");
      assert.deepEqual(await result(page), {
        scenarioId: APPROVAL,
        invocation: 2,
        elicitationOutcome: "accepted",
        approvalReason: "checked – “yes”",
      });
      if (script) await checkPage(page, "done");
      await assertPosts({}, approved(accepted({ reason: "checked – “yes”" })));

      await page.goto(question);
      assert.equal(await heading(page), "Done");
    }, { script });
  });

  test(`a crash between the question and the answer loses nothing${how}`, async () => {
    await visiting(await asking.kitchen(APPROVAL), async ({ pages, page }) => {
      await startCall(page, pages);
      const question = page.url();
      await pages.restart();
      // The form that was loaded before is still good, and so is a wrong answer to it.
      await press(page, "Send answer");
      await page.getByRole("alert").waitFor();
      await pages.restart();
      await page.goto(pages.address);
      await page.getByRole("link", { name: "run_configured_test_scenario" }).click();
      assert.equal(page.url(), question);
      await page.getByLabel(REASON).fill("after two restarts");
      await pages.restart();
      await press(page, "Send answer");
      assert.equal((await result(page)).approvalReason, "after two restarts");
      await assertPosts({}, approved(accepted({ reason: "after two restarts" })));
      await page.goto(pages.address);
      await page.getByText("Nothing waits.").waitFor();
    }, { script });
  });
}

for (const [button, action] of [["Decline", "decline"], ["Cancel", "cancel"]]) {
  test(`${button} tells the server so, and nothing else`, async () => {
    await visiting(await asking.kitchen(APPROVAL), async ({ pages, page }) => {
      await startCall(page, pages);
      // What was entered is not sent.
      await page.getByLabel(REASON).fill("not for the server");
      await press(page, button);
      assert.equal(await heading(page), "The tool reported an error");
      assert.equal((await result(page)).elicitationOutcome, action);
      // Going back leads to what is so now, not to a form that is no longer good.
      await page.goBack();
      assert.equal(await heading(page), "The tool reported an error");
      await assertPosts({}, approved({ action }));
    });
  });
}

test("what is submitted twice is answered once", async () => {
  await visiting(await asking.kitchen(APPROVAL), async ({ pages, context, page }) => {
    await startCall(page, pages);
    const other = await context.newPage();
    await other.goto(page.url());
    await page.getByLabel(REASON).fill("first");
    await other.getByLabel(REASON).fill("second");
    await press(page, "Send answer");
    assert.equal((await result(page)).approvalReason, "first");
    await press(other, "Send answer");
    assert.equal(await heading(other), "This was answered already");
    await checkPage(other, "answered-already");
    await other.getByRole("link", { name: "See how it stands" }).click();
    assert.equal((await result(other)).approvalReason, "first");
    await assertPosts({}, approved(accepted({ reason: "first" })));
  });

  // At the same time, without waiting for a page.
  await visiting(await asking.kitchen(APPROVAL), async ({ pages, page }) => {
    await startCall(page, pages);
    const body = new URLSearchParams({ request: "0", round: "1", action: "accept", f0: "same" });
    const post = () => fetch(page.url(), { method: "POST", body, redirect: "manual" });
    const answers = await Promise.all(Array.from({ length: 8 }, post));
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [303, ...Array(7).fill(409)]);
    await assertPosts({}, approved(accepted({ reason: "same" })));
  });
});

const FIELDS = {
  name: { type: "string", title: "Your name", description: "As on your passport", minLength: 2, default: "Ada" },
  mail: { type: "string", title: "Mail", format: "email" },
  site: { type: "string", title: "Web page", format: "uri" },
  day: { type: "string", title: "Day", format: "date" },
  moment: { type: "string", title: "Moment", format: "date-time", default: "2026-12-24T18:00:00+01:00" },
  note: { type: "string", title: "Note", maxLength: 1000 },
  ratio: { type: "number", title: "Ratio", minimum: 0, maximum: 1.5 },
  count: { type: "integer", title: "Count", minimum: 1, maximum: 9007199254740991 },
  news: { type: "boolean", title: "Send me news", default: true },
  sure: { type: "boolean", title: "Are you sure?" },
  color: { type: "string", title: "Colour", oneOf: [{ const: "r", title: "Red" }, { const: "g\r\n", title: "Green" }] },
  sizes: { type: "array", title: "Sizes", items: { type: "string", enum: ["S", "M", "L"] }, maxItems: 2, default: ["M"] },
};

test("each kind of field has its control, its default, its error and its value", async () => {
  const script = [asked({ who: form(FIELDS, ["name", "mail", "sure", "color"]) }, "s1"), complete("thank you")];
  await visiting(await asking.script(...script), async ({ pages, page }) => {
    await startCall(page, pages);
    const control = (label) => page.getByLabel(label, { exact: false }).first();
    const type = (label) => control(label).getAttribute("type");
    const types = await Promise.all(["Your name", "Mail", "Web page", "Day", "Date and time", "Ratio", "Count"].map(type));
    assert.deepEqual(types, ["text", "email", "url", "date", "datetime-local", "number", "number"]);
    assert.equal(await page.getByRole("textbox", { name: "Note (optional)" }).evaluate((note) => note.tagName), "TEXTAREA");
    assert.equal(await control("Your name").inputValue(), "Ada");
    assert.equal(await page.getByLabel("Date and time").inputValue(), "2026-12-24T18:00");
    assert.equal(await page.getByLabel("Offset from UTC").inputValue(), "+01:00");
    assert.equal(await page.getByRole("checkbox", { name: "Send me news" }).isChecked(), true);
    assert.deepEqual(await page.getByRole("group", { name: "Sizes" }).getByRole("checkbox", { checked: true }).count(), 1);
    assert.equal(await page.getByRole("radiogroup", { name: "Are you sure?" }).getByRole("radio").count(), 2);
    assert.equal(await control("Ratio").getAttribute("max"), "1.5");
    assert.equal(await control("Count").getAttribute("max"), "9007199254740991");
    await checkPage(page, "all-fields");

    await control("Your name").fill("A");
    await control("Mail").fill("nobody");
    await control("Web page").fill("example");
    await control("Ratio").fill("2");
    await control("Count").fill("1.5");
    await page.getByLabel("Offset from UTC").fill("tomorrow");
    for (const size of ["S", "L"]) await page.getByLabel(size, { exact: true }).check();
    await page.getByRole("checkbox", { name: "Send me news" }).uncheck();
    await control("Note").fill("\nkept");
    await press(page, "Send answer");
    assert.deepEqual(await page.getByRole("alert").getByRole("listitem").allInnerTexts(), [
      "Your name must be at least 2 characters long",
      "Mail must be an email address",
      "Web page must be a full address such as https://example.com",
      "Moment must be a date and time such as 2026-07-28T14:30:00Z",
      "Ratio must be at most 1.5",
      "Count must be a whole number",
      "Are you sure? must be filled in",
      "Colour must be filled in",
      "Sizes must have at most 2 choices",
    ]);
    for (const [label, value] of [["Your name", "A"], ["Mail", "nobody"], ["Ratio", "2"], ["Count", "1.5"], ["Note", "\nkept"], ["Offset from UTC", "tomorrow"]]) {
      assert.equal(await control(label).inputValue(), value, label);
    }
    assert.equal(await page.getByRole("checkbox", { name: "Send me news" }).isChecked(), false);
    assert.equal(await page.getByRole("group", { name: "Sizes" }).getByRole("checkbox", { checked: true }).count(), 3);
    await checkPage(page, "all-fields-wrong");
    await assertPosts({});

    await control("Your name").fill("Ada");
    await control("Mail").fill("ada@example.com");
    await control("Web page").fill("https://example.com/?a=b");
    await control("Day").fill("2026-07-28");
    await page.getByLabel("Date and time").fill("2026-12-24T19:30:00");
    await page.getByLabel("Offset from UTC").fill("-02:30");
    await control("Note").fill("two\nlines");
    await control("Ratio").fill("0.50");
    await control("Count").fill("9007199254740991");
    await page.getByRole("radio", { name: "No", exact: true }).check();
    await page.getByLabel("Colour").selectOption("Green");
    for (const size of ["S", "M", "L"]) await page.getByLabel(size, { exact: true }).uncheck();
    await press(page, "Send answer");
    assert.equal(await page.getByRole("region", { name: "Result" }).innerText(), "thank you");
    const content = {
      name: "Ada",
      mail: "ada@example.com",
      site: "https://example.com/?a=b",
      day: "2026-07-28",
      moment: "2026-12-24T19:30:00-02:30",
      note: "two\nlines",
      ratio: 0.5,
      count: 9007199254740991,
      news: false,
      sure: false,
      color: "g\r\n",
      sizes: [],
    };
    await assertPosts({}, { inputResponses: { who: accepted(content) }, requestState: "s1" });
  });
});

test("a link is shown whole, opened by nobody but the person, and answered without content", async () => {
  const url = await asking.kitchen("elicitation.url_mode", { url: "https://example.com/approve?ticket=7#here" });
  await visiting(url, async ({ pages, page }) => {
    await startCall(page, pages);
    assert.equal(await page.locator(".address").innerText(), "https://example.com/approve?ticket=7#here");
    assert.equal(await page.locator(".address strong").innerText(), "example.com");
    assert.deepEqual(await page.getByRole("main").getByRole("link").count(), 0);
    await checkPage(page, "link");
    await press(page, "I agree to open it");
    const link = page.getByRole("link", { name: "Open example.com in a new tab" });
    assert.deepEqual(
      await Promise.all(["href", "target", "rel"].map((name) => link.getAttribute(name))),
      ["https://example.com/approve?ticket=7#here", "_blank", "noopener noreferrer"],
    );
    await checkPage(page, "link-agreed");
    await assertPosts({});
    await pages.restart();
    await press(page, "Go on with the call");
    assert.equal((await result(page)).elicitationOutcome, "accepted");
    await assertPosts({}, approved({ action: "accept" }));
  });
});

test("a link that deceives is shown as what it is, and one that is no web page cannot be agreed to", async () => {
  const deceiving = link("https://example.com@xn--pypal-4ve.com/pay");
  await visiting(await asking.script(asked({ a: deceiving, b: link("javascript:alert(1)") })), async ({ pages, page }) => {
    await startCall(page, pages);
    assert.equal(await page.locator(".address strong").innerText(), "xn--pypal-4ve.com");
    assert.deepEqual(await page.locator(".warning").allInnerTexts(), [
      "Look twice: the host has letters that can look like others.",
      "Look twice: there is a user name before the host, which can look like a host.",
      "The server wants something to be opened that must not be: the link is no web page: its scheme is neither https nor http.",
    ]);
    assert.equal(await page.getByRole("button", { name: "I agree to open it" }).count(), 1);
    assert.equal(await page.getByRole("button", { name: "Decline" }).count(), 2);
    await checkPage(page, "links-that-deceive");
    // Nor by what no form of the page sends.
    const body = new URLSearchParams({ request: "1", round: "1", action: "accept" });
    const answer = await fetch(page.url(), { method: "POST", body, redirect: "manual" });
    assert.equal(answer.status, 400);
    await assertPosts({});
  });
});

test("several questions of a round are answered one by one, across a restart, and sent together", async () => {
  const requests = { b: form({ x: { type: "string" } }, ["x"]), a: form({}, [], "Agreed?") };
  await visiting(await asking.script(asked(requests, "s"), complete("both")), async ({ pages, page }) => {
    await startCall(page, pages);
    await checkPage(page, "two-questions");
    await press(page, "Accept");
    await page.getByText("Answered.", { exact: true }).waitFor();
    await pages.restart();
    await assertPosts({});
    await page.reload();
    await page.getByLabel("x").fill("1");
    await press(page, "Send answer");
    assert.equal(await page.getByRole("region", { name: "Result" }).innerText(), "both");
    await assertPosts({}, { inputResponses: { b: accepted({ x: "1" }), a: accepted({}) }, requestState: "s" });
  });
});

test("each round has its own question; a form of the round before answers nothing", async () => {
  const ask = (key, state) => asked({ [key]: form({ x: { type: "string", title: `For ${key}` } }) }, state);
  await visiting(await asking.script(ask("one", "s1"), ask("two", "s2"), complete("done")), async ({ pages, context, page }) => {
    await startCall(page, pages);
    const old = await context.newPage();
    await old.goto(page.url());
    await page.getByLabel("For one").fill("1");
    await press(page, "Send answer");
    await page.getByLabel("For two").fill("2");
    await old.getByLabel("For one").fill("late");
    await press(old, "Send answer");
    assert.equal(await heading(old), "This question is no longer asked");
    await press(page, "Send answer");
    assert.equal(await page.getByRole("region", { name: "Result" }).innerText(), "done");
    await assertPosts(
      {},
      { inputResponses: { one: accepted({ x: "1" }) }, requestState: "s1" },
      { inputResponses: { two: accepted({ x: "2" }) }, requestState: "s2" },
    );
  });
});

test("an answer whose fate is not known is kept, and sent again only by somebody who agrees to that", async () => {
  await visiting(await asking.script(asked({ q: form({}) }, "s"), null, complete("at last")), async ({ pages, page }) => {
    await startCall(page, pages);
    await press(page, "Accept");
    await page.getByRole("heading", { name: "The last attempt failed" }).waitFor();
    await page.getByText("the work may have been done").waitFor();
    await checkPage(page, "in-doubt");
    await pages.restart();
    await page.reload();
    await page.getByRole("heading", { name: "How the last attempt ended is not known" }).waitFor();
    const answered = { inputResponses: { q: accepted({}) }, requestState: "s" };
    await assertPosts({}, answered);
    // The browser itself asks for the tick; what comes without it is refused all the same.
    const body = new URLSearchParams({ round: "1" });
    const unticked = await fetch(`${page.url()}/resume`, { method: "POST", body, redirect: "manual" });
    assert.equal(unticked.status, 409);
    await assertPosts({}, answered);
    await page.getByLabel("Do it again, even if it is done twice").check();
    await press(page, "Do it again");
    assert.equal(await page.getByRole("region", { name: "Result" }).innerText(), "at last");
    await assertPosts({}, answered, answered);
  });
});

test("a crash while the answer is on its way is told, and nothing is sent again unasked", async () => {
  await visiting(await asking.script(asked({ q: form({}) }, "s"), "silence", complete("at last")), async ({ pages, page }) => {
    await startCall(page, pages);
    const question = page.url();
    const body = new URLSearchParams({ request: "0", round: "1", action: "accept" });
    const post = () => fetch(question, { method: "POST", body, redirect: "manual" });
    const broken = post().catch(() => "broken off");
    // The call is claimed before it is sent.
    while ((await asking.posts()).length < 2) await setTimeout(20);
    await page.goto(question);
    assert.equal(await heading(page), "The server is working on it");
    await checkPage(page, "running");
    assert.equal((await post()).status, 409);
    await pages.restart();
    assert.equal(await broken, "broken off");
    await page.goto(question);
    await page.getByRole("heading", { name: "How the last attempt ended is not known" }).waitFor();
    await checkPage(page, "left-behind");
    const answered = { inputResponses: { q: accepted({}) }, requestState: "s" };
    await assertPosts({}, answered);
    await page.getByLabel("Do it again, even if it is done twice").check();
    await press(page, "Do it again");
    assert.equal(await page.getByRole("region", { name: "Result" }).innerText(), "at last");
    await assertSent([{}, answered, answered], true);
  });
});

test("a form that has no controls is answered as JSON", async () => {
  const odd = form({ where: { type: "object", properties: { x: { type: "number" } } } }, ["where"]);
  await visiting(await asking.script(asked({ q: odd }), complete("ok")), async ({ pages, page }) => {
    await startCall(page, pages);
    const answer = page.getByLabel("Answer, as a JSON object");
    await checkPage(page, "raw");
    for (const wrong of ["{", "[]", "{}"]) {
      await answer.fill(wrong);
      await press(page, "Send answer");
      assert.equal(await answer.getAttribute("aria-invalid"), "true", wrong);
      assert.equal(await answer.inputValue(), wrong);
    }
    await answer.fill('{"where": {"x": 1}}');
    await press(page, "Send answer");
    assert.equal(await page.getByRole("region", { name: "Result" }).innerText(), "ok");
    await assertPosts({}, { inputResponses: { q: accepted({ where: { x: 1 } }) } });
  });
});

test("text of servers is text", async () => {
  const evil = `</p><script>document.title="x"</script><img src="https://evil.test/x" onerror=alert(1)>"'\u202e`;
  const properties = {
    ["__proto__"]: { type: "string", title: evil, description: evil, default: evil },
    "": { type: "string", enum: [evil, "other"], default: evil },
    constructor: { type: "boolean", title: evil },
  };
  // An object literal would take the name for the prototype.
  const schema = JSON.parse(JSON.stringify(form(properties, [], evil)));
  await visiting(await asking.script(asked({ [evil]: schema }, evil), complete(evil)), async ({ pages, page }) => {
    await startCall(page, pages);
    assert.ok((await page.locator(".said .words").innerText()).startsWith("</p><script>"));
    await checkPage(page, "hostile");
    await press(page, "Send answer");
    assert.equal(await page.getByRole("region", { name: "Result" }).innerText(), evil);
    assert.equal(await page.locator("script, img").count(), 0);
    const content = JSON.parse(JSON.stringify({ ["__proto__"]: evil, "": evil }));
    await assertPosts({}, { inputResponses: { [evil]: accepted(content) }, requestState: evil });
  });
});

test("a call can be forgotten, and the server is not told", async () => {
  await visiting(await asking.kitchen(APPROVAL), async ({ pages, page }) => {
    await startCall(page, pages);
    await page.locator("details summary").click();
    await press(page, "Forget this call");
    await page.getByText("Nothing waits.").waitFor();
    await page.goBack();
    assert.equal(await heading(page), "This call does not wait");
    await assertPosts({});
  });
});

test("a server that fails is told from a tool that does", async () => {
  await visiting(await asking.kitchen("errors.jsonrpc_error"), async ({ pages, page }) => {
    await startCall(page, pages);
    assert.equal(await heading(page), "The call failed");
    assert.match(await page.getByRole("main").innerText(), /The protocol layer says: .*\n[^]*The request was answered/);
    await checkPage(page, "failed");
  });
  await visiting("http://127.0.0.1:1/mcp", async ({ pages, page }) => {
    await startCall(page, pages);
    assert.match(await page.getByRole("main").innerText(), /The transport layer says: [^]*nothing was done/);
    await page.goto(pages.address);
    await page.getByLabel("Arguments, as a JSON object").fill("[1]");
    await press(page, "Start the call");
    await page.getByText("The arguments must be a JSON object").waitFor();
    assert.equal(await page.getByLabel("Arguments, as a JSON object").inputValue(), "[1]");
    await checkPage(page, "arguments-wrong");
  });
});

test("nobody else's page can look at calls or answer them", async () => {
  await visiting(await asking.kitchen(APPROVAL), async ({ pages, context, page }) => {
    await startCall(page, pages);
    const { port, pathname } = new URL(page.url());
    const send = (method, headers, body = "") =>
      new Promise((resolve, reject) => {
        const path = method === "POST" ? pathname : "/";
        const sent = httpRequest({ host: "127.0.0.1", port, path, method, headers, timeout: 10_000 }, (response) => {
          response.resume().on("end", () => {
            resolve(response);
            sent.destroy();
          });
        });
        sent.on("timeout", () => sent.destroy(new Error("no answer"))).on("error", reject);
        // What is refused by its length is answered before it is sent.
        if (headers["Content-Length"]) sent.flushHeaders();
        else sent.end(body);
      });
    const decline = "request=0&round=1&action=decline";
    const kind = { "Content-Type": "application/x-www-form-urlencoded" };
    for (const [status, headers] of [
      [421, { ...kind, Host: `evil.test:${port}` }],
      [421, { ...kind, Host: "127.0.0.1:1" }],
      [403, { ...kind, Origin: "https://evil.test" }],
      [403, { ...kind, Origin: "null" }],
      [403, { ...kind, Origin: `http://127.0.0.1:${Number(port) - 1}` }],
      [403, { ...kind, "Sec-Fetch-Site": "cross-site" }],
      [403, { ...kind, "Sec-Fetch-Site": "same-site" }],
      [415, { "Content-Type": "text/plain" }],
      [413, { ...kind, "Content-Length": 2 << 20 }],
    ]) {
      assert.equal((await send("POST", headers, decline)).statusCode, status, JSON.stringify(headers));
    }
    assert.equal((await send("GET", { Host: "evil.test" })).statusCode, 421);
    const { headers } = await send("GET", {});
    assert.match(headers["content-security-policy"], /^default-src 'none';.*form-action 'self';.*frame-ancestors 'none'$/);
    assert.equal(headers["cache-control"], "no-store");

    // A page of another origin, in the same browser.
    const stranger = await context.newPage();
    await stranger.setContent(`<form method="post" action="${page.url()}">
      <input name="request" value="0"><input name="round" value="1"><button name="action" value="decline">Win</button></form>`);
    await stranger.getByRole("button").click();
    assert.equal(await heading(stranger), "That was sent by another site's page");
    await assertPosts({});
  });
});
