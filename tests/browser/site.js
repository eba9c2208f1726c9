// The page and the servers that it calls: processes, and the browser that looks at it.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const program = (variable) => process.env[variable] ?? fail(`${variable} is not set: see tests/browser/run`);
const fail = (message) => {
  throw new Error(message);
};

/** A process whose lines can be read one by one. What it has not said when it ends, it never says. */
function start(path, args) {
  const process = spawn(path, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  const line = async () => {
    const { value, done } = await lines.next();
    return done ? fail(`${path} ended`) : value;
  };
  const end = async (signal) => {
    if (process.exitCode === null && process.signalCode === null) {
      process.kill(signal);
      await once(process, "exit");
    }
  };
  return { process, line, end };
}

/** Servers that ask, in a process that outlives the page's. */
export function servers() {
  const asking = start(program("ASKING"), []);
  const tell = async (command) => {
    asking.process.stdin.write(`${JSON.stringify(command)}\n`);
    return JSON.parse(await asking.line());
  };
  return {
    kitchen: async (scenario, params) => (await tell({ kitchen: { scenario, params } })).url,
    script: async (...results) => (await tell({ script: results })).url,
    posts: async () => (await tell("posts")).posts,
    end: () => asking.end("SIGKILL"),
  };
}

/** The page, for one server. */
export async function site(url, options = []) {
  const folder = await mkdtemp(join(tmpdir(), "approve-web-"));
  const args = ["--url", url, "--store", join(folder, "calls.sqlite"), ...options];
  const run = async (listen) => {
    const running = start(program("APPROVE_WEB"), [...args, "--listen", listen]);
    return { running, address: new URL(await running.line()) };
  };
  let { running, address } = await run("127.0.0.1:0");
  return {
    address: address.href,
    host: address.host,
    /** Ends the process at once, as a crash would, and starts it anew where it was. */
    restart: async () => {
      await running.end("SIGKILL");
      ({ running } = await run(address.host));
    },
    end: async () => {
      await running.end("SIGKILL");
      await rm(folder, { recursive: true });
    },
  };
}

export const browser = () =>
  chromium.launch({ executablePath: program("CHROMIUM"), headless: true, chromiumSandbox: false, args: FLAGS });
