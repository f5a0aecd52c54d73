import sharp from 'sharp';
import { type ApiClient, createApiClient, type Page } from '#components/api/api-client.ts';
import type { Asset } from '#server/core/site/content';
import { sayByApi, userMessage } from '#tests/e2e/support/other-hands';
import {
  type ScriptedServer,
  createGate,
  newestRequest,
  startScriptedServer,
  think,
} from '#tests/e2e/support/scripted-model';
import type { ParsedRequest } from '#tests/support/request-log';
import { isSummaryRequest } from '#tests/support/summary-requests';

/** A request with this in it is not answered before the server ends: a turn that runs. */
const ENDLESS = 'take your time';

/** What an editor might say on a morning. */
const REQUESTS = [
  'Create a page called Gift vouchers about giving somebody an afternoon at the wheel',
  'Always use British spelling.',
  'Change the hero heading on Gift vouchers to "An afternoon at the wheel, wrapped"',
  'Add an image section to Gift vouchers with the image "/images/wheel.svg" and the alt text "Hands at a wheel"',
  'List the posts',
  'Add a faq section to Gift vouchers with the question "How long is a voucher valid?" and the answer "Two years."',
  'What did I ask first?',
];

/** What a model would do with a text that is chosen; the basic assistant wants the words themselves. */
function makeWarmer({ messages }: ParsedRequest) {
  const asked = JSON.stringify(messages);
  const [, sectionId] = /Chosen by the user on the page: section (sec_\w+) /.exec(asked) ?? [];
  if (sectionId === undefined) return { text: 'Which one?' };
  if (messages.at(-1)?.role === 'tool') return { text: 'It says “Come in and get warm” now, as a draft.' };
  const input = { sectionId, fields: { heading: 'Come in and get warm' } };
  return { toolCalls: [{ id: 'warmer', name: 'update_section', input }] };
}

/** Conversations of the days before, for the list. */
const EARLIER_TITLES = ['Winter opening hours', 'Tidy up the firing club page', 'A post about the new kiln shelves'];

const SUMMARY = [
  '### Original Task\nA page about gift vouchers: an afternoon at the wheel for somebody.',
  '### What Was Accomplished\n- Created the page **Gift vouchers**\n- Hero heading: “An afternoon at the wheel, wrapped”\n- An image of hands at a wheel',
  '### Current State\nThe page is a draft with three sections.',
  '### User Preferences\nBritish spelling, always.',
  '### What Comes Next\nQuestions and answers about vouchers, then publishing.',
].join('\n\n');

/** A server with something to see on every screen. */
export interface FurnishedServer extends ScriptedServer {
  /** Ids of its conversations. */
  readonly sessions: {
    /** Several turns, summarized once by a model. */
    readonly edited: string;
    /** Asks before it deletes a page. */
    readonly asking: string;
    /** A turn runs, and two messages wait for it. */
    readonly busy: string;
  };
}

async function makeEdited(api: ApiClient): Promise<string> {
  const { id } = await api.createSession({ title: 'Gift vouchers' });
  for (const request of REQUESTS.slice(0, 5)) await sayByApi(api, id, request);
  const { status } = await api.compact(id);
  if (status !== 'completed') throw new Error(`The conversation was not summarized: ${status}`);
  for (const request of REQUESTS.slice(5)) await sayByApi(api, id, request);
  return id;
}

async function makeAsking(api: ApiClient): Promise<string> {
  const { id } = await api.createSession({ title: 'Clear out old pages' });
  await sayByApi(api, id, 'Delete the page Commissions');
  return id;
}

async function makeBusy(api: ApiClient): Promise<string> {
  const { id } = await api.createSession({ title: 'A tour of the studio' });
  const started = await api.say({
    id,
    message: userMessage(`Write a tour of the studio, and ${ENDLESS}`),
    clientRequestId: crypto.randomUUID(),
  });
  void started.chunks?.return();
  for (const text of ['Mention the salt kiln', 'And end with how to get here']) {
    await api.queue.add({ sessionId: id, message: userMessage(text), clientRequestId: crypto.randomUUID() });
  }
  return id;
}

/** The site's drawings as pictures of the media library; the last of them has no description. */
async function addPictures(serverUrl: string): Promise<void> {
  const described = { kiln: 'The kiln at the end of a firing', wheel: 'Hands at a wheel', mugs: 'Six mugs on a shelf' };
  for (const [name, alt] of Object.entries({ ...described, estuary: '' })) {
    const body = new Uint8Array(await sharp(`public/images/${name}.svg`).resize({ width: 1_200 }).png().toBuffer());
    const path = `/api/content/media?filename=${name}.png&alt=${encodeURIComponent(alt)}`;
    const response = await fetch(`${serverUrl}${path}`, { method: 'POST', body });
    if (!response.ok) throw new Error(`The picture ${name} was not taken: ${await response.text()}`);
  }
}

const STANDING = {
  voice: 'We are a small pottery studio by the estuary. Warm and plain, first person plural; British spelling.',
  glossary: [{ term: 'Saltmarsh', meaning: 'our green glaze; one word, with a capital' }],
  rules: ['Never promise a delivery date.', 'Always say “kiln”, never “oven”.'],
};

/** A page from WordPress with what only `html` can hold, a post that is planned, and a question of another assistant. */
async function addWhatCameFromElsewhere(serverUrl: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const response = await fetch(`${serverUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`POST ${path}: ${await response.text()}`);
  };
  const html = '<table><caption>Firings</caption><tbody><tr><th scope="row">Salt</th><td>May</td></tr></tbody></table>';
  await post('/api/content/pages', {
    title: 'Firings',
    slug: 'firings',
    sections: [{ type: 'html', fields: { html } }],
  });
  await post('/api/content/posts', { title: 'Open studio evening', slug: 'open-studio-evening' });
  await post('/api/content/posts/open-studio-evening/schedule', { publishAt: Date.parse('2033-01-05T09:00Z') });
  await post('/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'unpublish_content', arguments: { ref: 'commissions' } },
  });
}

/** What the site keeps to, a moved address, and something in the trash. */
async function furnishSite(api: ApiClient, serverUrl: string): Promise<void> {
  await api.saveStandingInstructions(STANDING);
  const request = async (method: string, path: string, body?: object) => {
    const init = {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    };
    const response = await fetch(`${serverUrl}/api/content/${path}`, init);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  };
  await request('PATCH', 'posts/digging-clay-at-hollin-reach', { slug: 'digging-our-own-clay' });
  await request('POST', 'posts/digging-our-own-clay/publish');
  for (const [collection, title, slug] of [
    ['posts', 'Closed over Easter', 'closed-over-easter'],
    ['pages', 'Prices of the year before last', 'old-prices'],
  ] as const) {
    await request('POST', collection, { title, slug });
    await request('DELETE', `${collection}/${slug}`);
  }
  const [picture] = (await api.get<Page<Asset>>('/api/content/media?q=mugs')).items;
  if (picture) await api.trashAsset(picture.id);
}

/** Starts it. For the tests that look at every screen, and for the pictures of them. */
export async function startFurnishedServer(): Promise<FurnishedServer> {
  const end = createGate();
  const scripted = await startScriptedServer(
    async (request, index) => {
      if (newestRequest(request).includes(ENDLESS)) await end.opened;
      if (newestRequest(request).includes('Make this warmer')) return makeWarmer(request);
      return isSummaryRequest(request) ? { text: SUMMARY } : think(request, index);
    },
    { CONTEXT_WINDOW: '16000' },
  );
  const api = createApiClient({ baseUrl: scripted.server.url });
  await addPictures(scripted.server.url);
  await furnishSite(api, scripted.server.url);
  await addWhatCameFromElsewhere(scripted.server.url);
  for (const title of EARLIER_TITLES) await api.createSession({ title });
  return {
    ...scripted,
    sessions: { busy: await makeBusy(api), asking: await makeAsking(api), edited: await makeEdited(api) },
    async [Symbol.asyncDispose]() {
      end.open();
      await scripted[Symbol.asyncDispose]();
    },
  };
}
