// A server on the TypeScript SDK, for the tests: `node server.cjs json|sse`. CommonJS, so that NODE_PATH can say where
// the packages are.
//
// It listens on a free port, says `ready URL` on standard output, and ends with its standard input.
'use strict';

const { createServer } = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { toNodeHandler } = require('@modelcontextprotocol/node');
const {
  McpServer,
  createMcpHandler,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
} = require('@modelcontextprotocol/server');
const z = require('zod');

const responseMode = process.argv[2];
if (!['json', 'sse'].includes(responseMode)) throw new Error('usage: server.cjs json|sse');

const states = createRequestStateCodec({ key: 'a key of the tests, 32 bytes long' });
const text = value => ({ type: 'text', text: value });
const form = (message, properties) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties, required: Object.keys(properties) },
  });

const tools = {
  text: [
    { name: z.string() },
    ({ name }) => ({ content: [text(`Hello, ${name}!`), text('')] }),
  ],
  image: [{}, () => ({ content: [{ type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }] })],
  audio: [{}, () => ({ content: [{ type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }] })],
  resource: [
    {},
    () => ({
      content: [
        { type: 'resource', resource: { uri: 'peer://note', mimeType: 'text/plain', text: 'a note\n' } },
        {
          type: 'resource',
          resource: { uri: 'peer://blob', mimeType: 'application/octet-stream', blob: 'AP8=' },
        },
        {
          type: 'resource_link',
          uri: 'peer://linked',
          name: 'linked',
          mimeType: 'text/csv',
          description: 'Is not sent along',
        },
      ],
    }),
  ],
  error: [
    {},
    () => {
      throw new Error('the disk is full');
    },
  ],
  progress: [
    { steps: z.number().int() },
    async ({ steps }, { mcpReq }) => {
      // A client that asked for none gets some all the same: it has to put up with that.
      const progressToken = mcpReq._meta?.progressToken ?? 'unasked';
      for (let step = 1; step <= steps; step += 1) {
        const params = { progressToken, progress: step, total: steps, message: `step ${step}` };
        await mcpReq.notify({ method: 'notifications/progress', params });
      }
      return { content: [text(`${steps} steps`)] };
    },
  ],
  slow: [
    { ms: z.number().int() },
    async ({ ms }, { mcpReq }) => {
      await sleep(ms, undefined, { signal: mcpReq.signal });
      return { content: [text(`after ${ms} ms`)] };
    },
  ],
  ask: [
    { ticket: z.number().int() },
    async ({ ticket }, { mcpReq }) => {
      const state = mcpReq.requestState();
      const key = state === undefined ? 'name' : 'sure';
      const answer = inputResponse(mcpReq.inputResponses, key);
      if (answer.kind === 'elicit' && answer.action !== 'accept') {
        return { content: [text(`${key}: ${answer.action}`)] };
      }
      if (state === undefined && answer.kind === 'missing') {
        return inputRequired({ inputRequests: { name: form('Who are you?', { name: { type: 'string' } }) } });
      }
      if (state === undefined) {
        return inputRequired({
          inputRequests: { sure: form('Are you sure?', { sure: { type: 'boolean' } }) },
          requestState: await states.mint({ name: answer.content.name }),
        });
      }
      return { content: [text(`${state.name} closes ${ticket}: ${answer.content.sure}`)] };
    },
  ],
  'größe 天気': [{}, () => ({ content: [text('found')] })],
};

function build() {
  const server = new McpServer(
    { name: 'typescript-peer', version: '1.0.0' },
    { requestState: { verify: states.verify } },
  );
  for (const [name, [schema, handler]] of Object.entries(tools)) {
    server.registerTool(name, { inputSchema: z.object(schema) }, handler);
  }
  const weather = { city: 'Oslo', celsius: -3.5, wind: { origin: 'NW', speed: 7 }, warnings: [] };
  const outputSchema = z.object({
    city: z.string(),
    celsius: z.number(),
    wind: z.object({ origin: z.string(), speed: z.number().int() }),
    warnings: z.array(z.string()),
  });
  server.registerTool('structured', { inputSchema: z.object({}), outputSchema }, () => ({
    content: [text(JSON.stringify(weather))],
    structuredContent: weather,
  }));
  return server;
}

const handler = toNodeHandler(createMcpHandler(build, { responseMode }));
const server = createServer((request, response) => handler(request, response));
server.listen(0, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${server.address().port}/mcp`));
process.stdin.resume().on('end', () => process.exit());
