import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatted } from '#scripts/lib/tests/formatted';
import { allowServerModules } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { seedSite } from '#scripts/seed';
import { parseEnv } from '#server/platform/config/env';
import { countTokens } from '#server/context/tokens';
import type { SectionType } from '#server/core/site/content';
import type { JsonValue } from '#server/core/json';
import { knownModels } from '#server/models/known-models';
import { createOfflineModel } from '#server/models/offline/offline-model';
import type { Services } from '#server/services';
import type { Figures } from '#tests/bench/recorded-sessions';
import { answerText as textOf, say } from '#tests/support/chat-client';
import { editingRequests } from '#tests/support/editing-requests';
import { type FakeOpenRouter, startFakeOpenRouter } from '#tests/support/fake-openrouter';
import type { FakeAnswer } from '#tests/support/openrouter-wire';
import { respondWithModel } from '#tests/support/respond-with-model';
import type { ParsedRequest, RecordedRequest } from '#tests/support/request-log';

/*
 * What ten typical jobs take of a model (npm run bench:jobs, which writes them into docs/models.md). The whole server
 * does each on the demo site; the scripted model makes the calls of a careful model and writes texts of the demo
 * site's length. Every request is recorded as the provider gets it, and counted.
 */

const PAGE = projectPath('docs/models.md');
const [BEGIN, END] = ['<!-- jobs: written by npm run bench:jobs -->', '<!-- /jobs -->'];

/** One each of the recommended ones. */
const MODELS = ['anthropic/claude-opus-5.5', 'anthropic/claude-sonnet-5.5', 'anthropic/claude-haiku-5.5'];
/** What a provider's cache takes for what it has read before, and for what it keeps, as shares of the price of input. */
const CACHE = { read: 0.1, write: 1.25 };

type Calls = readonly (readonly [name: string, input: JsonValue])[];
interface Job {
  readonly name: string;
  readonly request: string;
  /** The calls of each step, based on the current state of the site. */
  readonly steps: readonly ((site: Site) => Promise<Calls> | Calls)[];
  readonly answer: string;
}

/** The demo site, read as the scripted model has read it. */
class Site {
  readonly #content: Services['builtIn']['content'];
  constructor(content: Services['builtIn']['content']) {
    this.#content = content;
  }
  async sections(slug: string) {
    const entry = await this.#content.find(slug);
    if (!entry) throw new Error(`There is no ${slug}.`);
    return entry.draft.sections;
  }
  /** The sections of an entry, as a model rewrites them. */
  async copied(slug: string): Promise<JsonValue> {
    const sections = await this.sections(slug);
    return sections.map(({ type, fields }) => ({ type, fields }));
  }
}

const describe = (...types: SectionType[]): Calls[number] => ['describe_sections', { types }];
const read = (...refs: string[]): Calls[number] => ['get_content', refs.length === 1 ? { ref: refs[0]! } : { refs }];
const PAGES = ['home', 'workshops', 'our-story', 'commissions', 'firing-club', 'visit-us', 'contact'];

const JOBS: readonly Job[] = [
  {
    name: 'Answer a question about the site',
    request: 'When are we open on Sundays, and on which pages do we say so?',
    steps: [() => [['search_content', { query: 'Sunday' }]], () => [read('visit-us')]],
    answer: 'The shop is open from 11 to 3 on Sundays. Only Visit us says so; the kiln opening is every second week.',
  },
  {
    name: 'Change one fact on one page',
    request: 'On Visit us, the shop opens at 10 on Thursdays now. Change nothing else.',
    steps: [
      () => [read('visit-us')],
      () => [['edit_text', { find: '| Thursday | 11 to 5 |', replace: '| Thursday | 10 to 5 |', refs: ['visit-us'] }]],
    ],
    answer: 'The opening hours on Visit us now say 10 to 5 for Thursday. It is a draft until you publish it.',
  },
  {
    name: 'Change a price wherever it stands',
    request: 'The firing club costs £20 a month from now on. Change it everywhere.',
    steps: [
      () => [['search_content', { query: '£18', exact: true }]],
      () => [['edit_text', { find: '£18', replace: '£20', all: true }]],
    ],
    answer: 'The price is £20 in every draft where it stood; nothing else mentions the old one.',
  },
  {
    name: 'Write what search engines show, for seven pages',
    request: 'Write a title and a description for search engines for every page.',
    steps: [
      () => [['list_content', { type: 'page' }]],
      () => [read(...PAGES)],
      () =>
        PAGES.map((ref) => [
          'update_content',
          {
            ref,
            seo: {
              title: 'Saltmarsh Pottery, stoneware from Hollinmouth',
              description:
                'Hand-thrown stoneware from a boathouse on the estuary: workshops for beginners, commissions, and a kiln that opens every second Sunday.',
            },
          },
        ]),
    ],
    answer: 'All seven pages have a title and a description for search engines, each under 160 letters.',
  },
  {
    name: 'Write a new page of five sections',
    request: 'Make a page about our gift vouchers, built like the page of the firing club, with questions and answers.',
    steps: [
      () => [read('firing-club'), describe('hero', 'text', 'features', 'faq', 'call-to-action')],
      async (site) => [
        ['create_content', { type: 'page', title: 'Gift vouchers', sections: await site.copied('firing-club') }],
      ],
      () => [read('gift-vouchers')],
    ],
    answer: 'There is a page Gift vouchers with five sections, as a draft. The menu does not lead to it yet.',
  },
  {
    name: 'Write a post from notes, in the voice of earlier ones',
    request:
      'Write a post from these notes, in the voice of the last three: new glaze, ash from the hawthorn hedge, eleven tests, green where it is thick, for sale from Saturday.',
    steps: [
      () => [['list_content', { type: 'post', sort: 'published', limit: 3 }]],
      () => [
        read('a-glaze-called-saltmarsh', 'why-we-fire-once', 'what-beginners-teach-us'),
        describe('text', 'quote'),
      ],
      async (site) => [
        [
          'create_content',
          { type: 'post', title: 'Hawthorn', sections: await site.copied('a-glaze-called-saltmarsh') },
        ],
      ],
    ],
    answer: 'The post Hawthorn is written, as a draft, in the voice of the last three.',
  },
  {
    name: 'Rewrite a whole page',
    request: 'Rewrite Our story: warmer, in shorter sentences, and without the word "passion".',
    steps: [
      () => [read('our-story')],
      async (site) =>
        (await site.sections('our-story')).map(({ id, fields }) => ['update_section', { sectionId: id, fields }]),
    ],
    answer: 'Every section of Our story is rewritten, warmer and in shorter sentences. It is a draft.',
  },
  {
    name: 'Translate a page',
    request: 'Translate Workshops into German, as a page of its own.',
    steps: [
      () => [read('workshops'), describe('hero', 'text', 'features', 'gallery', 'faq')],
      async (site) => [
        ['create_content', { type: 'page', title: 'Kurse', slug: 'kurse', sections: await site.copied('workshops') }],
      ],
    ],
    answer: 'The page Kurse is the German Workshops, section by section, as a draft.',
  },
  {
    name: 'Check what is new, publish it, put it into the menu',
    request: 'Check the winter seconds sale, publish it, and put it into the menu behind Commissions.',
    steps: [
      () => [['get_content', { ref: 'winter-seconds-sale', with: ['issues', 'references'] }]],
      () => [
        ['publish_content', { ref: 'winter-seconds-sale' }],
        ['get_navigation', {}],
      ],
      () => [
        ['set_navigation', { op: 'add', fields: { label: 'Winter sale', href: '/winter-seconds-sale' }, position: 3 }],
      ],
    ],
    answer: 'Winter seconds sale is published, and in the menu behind Commissions.',
  },
];

/** An afternoon: one conversation of many small requests, whose calls are those of the built-in assistant. */
const AFTERNOON = 60;

const serialized = ({ body }: RecordedRequest) =>
  JSON.stringify({ tools: body.tools, messages: body.messages }).replaceAll('\\n', '\n').replaceAll('\\"', '"');

function commonStart(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return one.slice(0, at);
}

function figuresOf(name: string, requests: readonly RecordedRequest[], written: number): Figures {
  const texts = requests.map(serialized);
  const repeated = texts.map((text, index) => countTokens(commonStart(text, texts[index - 1] ?? '')));
  const sum = (counts: readonly number[]) => counts.reduce((all, each) => all + each, 0);
  return {
    name,
    calls: requests.length,
    sent: sum(texts.map((each) => countTokens(each))),
    repeated: sum(repeated),
    written,
  };
}

const tokensOf = ({ text = '', toolCalls = [] }: FakeAnswer) =>
  countTokens(text) + countTokens(toolCalls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join('\n'));

allowServerModules();
const { startServices } = await import('#server/services');
const { recordedSessions, reportedSession } = await import('#tests/bench/recorded-sessions');

/** Runs on a separate server with a fresh demo site. */
async function onServer<T>(work: (services: Services, provider: FakeOpenRouter) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-jobs-'));
  await using provider = await startFakeOpenRouter({ respond: () => ({ text: 'Not begun.' }) });
  const services = await startServices(
    parseEnv({
      DATABASE_URL: `file:${join(folder, 'jobs.db')}`,
      LOG_LEVEL: 'silent',
      SHUTDOWN_LIMIT_MS: '0',
      OPENROUTER_API_KEY: 'test-key',
      OPENROUTER_BASE_URL: provider.baseUrl,
      // One that caches without marks, which would differ from request to request.
      DEFAULT_MODEL: 'openai/gpt-5.4',
    }),
  );
  try {
    await seedSite(services.builtIn.content);
    return await work(services, provider);
  } finally {
    await services[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }
}

const measureJob = (job: Job) =>
  onServer(async ({ ...services }, server) => {
    const site = new Site(services.builtIn.content);
    let written = 0;
    const respond = async (_: ParsedRequest, index: number): Promise<FakeAnswer> => {
      const step = job.steps[index];
      const calls = step === undefined ? [] : await step(site);
      const toolCalls = calls.map(([name, input], at) => ({ id: `call_${index}_${at}`, name, input }));
      const answer = calls.length > 0 ? { toolCalls } : { text: job.answer };
      written += tokensOf(answer);
      return answer;
    };
    const { requests } = server.begin(respond);
    const session = await services.sessions.create({ ownerId: 'own_local' });
    const message = await say(services, session.id, job.request);
    const failed = message.parts.filter((part) => 'state' in part && part.state === 'output-error');
    if (failed.length > 0 || !textOf(message).includes(job.answer))
      throw new Error(`"${job.name}" did not come to its end: ${JSON.stringify(failed)}`);
    return figuresOf(job.name, requests, written);
  });

const measureAfternoon = () =>
  onServer(async (services, server) => {
    let written = 0;
    const think = respondWithModel(createOfflineModel());
    const { requests } = server.begin(async (request, index) => {
      const answer = (await think(request, index)) as FakeAnswer;
      written += tokensOf(answer);
      return answer;
    });
    const session = await services.sessions.create({ ownerId: 'own_local' });
    for (const { text } of editingRequests(AFTERNOON, 5)) await say(services, session.id, text);
    const figures = figuresOf(`An afternoon: ${AFTERNOON} small requests in one conversation`, requests, written);
    // Instructions and tools, with which every request begins.
    const { tools = [], messages = [] } = requests[0]?.body ?? {};
    const fixed = countTokens(JSON.stringify([tools, messages.filter(({ role }) => role === 'system')]));
    return { figures, fixed };
  });

/** @param cache shares of the price of input; default: what providers take */
function costOf({ sent, repeated, written }: Figures, modelId: string, cache = CACHE): number {
  const model = knownModels.find(({ id }) => id === modelId);
  if (!model) throw new Error(`There are no prices of ${modelId}.`);
  const input = (sent - repeated) * cache.write + repeated * cache.read;
  return (input * model.prices.input + written * model.prices.output) / 1_000_000;
}

const dollars = (cost: number) =>
  cost >= 1 ? `$${cost.toFixed(2)}` : `${(cost * 100).toFixed(cost < 0.01 ? 2 : 1)} ¢`;
function tokens(count: number): string {
  if (count >= 1_000_000) return `${(count / 1_000_000).toFixed(1)}M`;
  return count < 1_000 ? String(count) : `${(count / 1_000).toFixed(1)}k`;
}

function tableOf(what: string, all: readonly Figures[]): string {
  const names = MODELS.map((id) => knownModels.find((model) => model.id === id)?.name ?? id);
  const rows = all.map((job) => [
    job.name,
    String(job.calls),
    tokens(job.sent),
    `${Math.round((job.repeated / job.sent) * 100)} %`,
    tokens(job.written),
    ...MODELS.map((id) => dollars(costOf(job, id))),
  ]);
  const head = [what, 'model calls', 'tokens read', 'of these again', 'tokens written', ...names];
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const all: Figures[] = [];
for (const job of JOBS) all.push(await measureJob(job));
const { figures: afternoon, fixed } = await measureAfternoon();
all.push(afternoon);
const withoutCache = MODELS.map((id) => dollars(costOf(afternoon, id, { read: 1, write: 1 }))).join(', ');
const jobs = `${tableOf('job', all)}\n\nWithout a cache the afternoon would cost ${withoutCache}.`;
const [longest, ...others] = await recordedSessions(fixed);
const sessions = tableOf('recorded session', [...(longest ? [longest, reportedSession()] : []), ...others]);
const told = `${jobs}\n\n${sessions}`;
console.log(told);
const text = readFileSync(PAGE, 'utf8');
const [before, rest = ''] = text.split(BEGIN);
const [, after = ''] = rest.split(END);
const page = `${before}${BEGIN}\n\n${told}\n\n${END}${after}`;
writeFileSync(PAGE, await formatted(PAGE, page));
