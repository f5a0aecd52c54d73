import type { NoteWriter } from '#server/conversation/step/answer-writer';
import {
  type Horizon,
  type NewestChange,
  newestChange,
  othersLines,
} from '#server/conversation/step/changes-by-others';
import { KnownFacts } from '#server/conversation/step/known-facts';
import {
  chosenLines,
  nowLine,
  PAGE_KEY,
  PAGE_PATH,
  readFacts,
  siteLine,
  type TurnSite,
  VISITORS_AT,
  type ChosenSection,
} from '#server/conversation/step/site-context';
import { contextLine } from '#server/conversation/step/context-line';
import type { ContentBackend } from '#server/site/content-backend';
import { type ModelTarget, createBudget } from '#server/context/budget';
import { fixedCount } from '#server/context/current-tokens';
import { countPartTokens, tokensOf, withTokens } from '#server/context/part-tokens';
import { roomForRequest, usedShare } from '#server/context/context-snapshot';
import type { ContextSettings } from '#server/context/settings/context-settings';
import { type StoredView, verbatimMessages } from '#server/context/view';
import { within } from '#server/core/async';
import type { ChangeSet } from '#server/core/site/changes';
import type { Message } from '#server/core/conversation/messages';
import type { Turn } from '#server/core/conversation/turns';
import { WINDOW_KEY } from '#server/core/conversation/part-types/situation';
import type { NewPart, PartContent, PartOf } from '#server/core/conversation/parts';

/** The current view of the message's sender. */
export type Here = Pick<PartContent<'situation'>, 'preview' | 'zone'> & {
  readonly selection?: PartContent<'selection'> | undefined;
};

/**
 * Parts for the sender's current view. The text of the environment context is written when the turn of the message
 * starts; until then the message may wait.
 */
export function hereParts(here: Here | undefined): NewPart[] {
  if (here === undefined) return [];
  const { selection, ...place } = here;
  return [
    withTokens({ type: 'situation', content: { text: '', ...place } }),
    ...(selection ? [withTokens({ type: 'selection', content: selection } as const)] : []),
  ];
}

/** The sources of environment contexts. */
export interface EnvironmentSources {
  /** The view of the session, which is read in parallel with the site. */
  readonly view: Promise<StoredView>;
  readonly site: TurnSite;
  /**
   * False: the principal of the turn may not read the site; the environment context then contains only the time and the
   * site's name.
   */
  readonly mayRead: boolean;
  /** How to use the connected tool servers, in the words of each server. */
  readonly toolServers: readonly { readonly name: string; readonly text: string }[];
}

/**
 * Maximum wait for a site on another server; then the turn continues with what is known. Milliseconds. A choice, not
 * measured.
 */
const SITE_LIMIT_MS = 2_000;
/** Tokens of the lines about the site: this share of the usable tokens, within bounds. A choice, not measured. */
const SHARE = 0.01;
const MIN_TOKENS = 180;
const MAX_TOKENS = 600;

type Situation = PartContent<'situation'>;

/** Token budget of an environment context. */
interface SituationLimits {
  /** Tokens of all lines about the site. */
  readonly site: number;
  /** Maximum tokens of the whole message that contains it. */
  readonly message: number;
  /** Share of the usable tokens that the next request takes, above 1 for one that does not fit. */
  readonly usedShare: (view: StoredView) => number;
}

/** Limits of environment contexts for a model. */
export function situationLimits(target: ModelTarget, settings: ContextSettings): SituationLimits {
  const { usable } = createBudget(target, settings, fixedCount(target));
  const site = Math.min(MAX_TOKENS, Math.max(MIN_TOKENS, Math.floor(usable * SHARE)));
  return {
    site,
    message: roomForRequest(target, settings),
    usedShare: (view) => usedShare(view, target, settings),
  };
}

/**
 * Writes the environment context into a message, once, before it is first sent: complete if the view contains none,
 * else only the differences from the newest one. A message without a place for it stays unchanged. A turn that
 * continues after a pause has no new message; then a message of the app reports what others have changed since.
 * @param place the turn's new message as stored; null: the turn continues after it waited for the user
 */
export async function describeEnvironment(
  sources: EnvironmentSources,
  { turn, message }: { readonly turn: Turn; readonly message: Message | null },
  messages: NoteWriter,
  limits: SituationLimits,
): Promise<void> {
  if (message === null) return sources.mayRead ? tellAfterPause(sources, turn, messages, limits) : undefined;
  const part = message.parts.find(isSituation);
  if (part?.content.text !== '') return;
  const { sessionId } = message;
  const readPast = async (): Promise<Past> => {
    const view = await sources.view;
    return { sessionId, view, earlier: view.messages.filter(({ seq }) => seq < message.seq) };
  };
  const [written, chosen] = await Promise.all([
    writeSituation(sources, readPast(), part.content, limits),
    sources.mayRead ? readChosen(sources.site.content, part.content) : null,
  ]);
  const content = chosen === null ? written.content : withChosen(written.content, chosen, part.content.zone);
  const tokens = countPartTokens({ type: 'situation', content });
  const beside = message.parts.reduce((sum, each) => sum + tokensOf(each), 0);
  if (beside + tokens <= limits.message) await messages.updatePart(part.id, { content, tokens }, 'ahead');
}

async function readChosen(content: ContentBackend, { preview }: Situation): Promise<ChosenSection | null> {
  const { section } = preview ?? {};
  return preview && section !== undefined ? within(SITE_LIMIT_MS, chosenLines(content, preview, section)) : null;
}

/** Adds the selection last and with every message, because it applies to that message only. */
function withChosen(content: Situation, { chosen, text }: ChosenSection, zone: string | undefined): Situation {
  const told = content.text === '' ? nowLine(Date.now(), zone) : content.text;
  return { ...content, chosen, text: `${told}\n${text}` };
}

async function tellAfterPause(
  sources: EnvironmentSources,
  { id: turnId, sessionId, userMessageId: parentId }: Turn,
  messages: NoteWriter,
  limits: SituationLimits,
): Promise<void> {
  const view = await sources.view;
  const ofTurn = verbatimMessages(view).filter((message) => message.turnId === turnId);
  const place = ofTurn.flatMap(({ parts }) => parts.filter(isSituation)).at(-1);
  if (!place) return;
  const past = { sessionId, view, earlier: view.messages };
  const { content, isByOthers } = await writeSituation(sources, Promise.resolve(past), place.content, limits);
  if (!isByOthers) return;
  const parts = [withTokens({ type: 'situation', content } as const)];
  await messages.append(sessionId, { role: 'user', parentId, turnId, parts }, 'ahead');
}

function isSituation(part: Message['parts'][number]): part is PartOf<'situation'> {
  return part.type === 'situation';
}

/** The conversation before an environment context. */
interface Past {
  readonly sessionId: string;
  readonly view: StoredView;
  /** Messages of the view, without gaps. */
  readonly earlier: readonly Message[];
}

/** The lines about a site, and the fields that the environment context stores for it. */
interface Told extends Pick<Situation, 'siteId' | 'changeId' | 'changeRevision' | 'facts' | 'isFull'> {
  readonly lines: readonly string[];
  readonly others: readonly string[];
}

/** @param past is read at the same time as the site */
async function writeSituation(
  { site: identity, mayRead, toolServers }: EnvironmentSources,
  past: Promise<Past>,
  { preview, zone }: Situation,
  { site: siteTokens, usedShare: shareOf }: SituationLimits,
): Promise<{ content: Situation; isByOthers: boolean }> {
  const here = { ...(preview && { preview }), ...(zone !== undefined && { zone }) };
  const now = nowLine(Date.now(), zone);
  const { content } = identity;
  const readSite = async (): Promise<Told> => {
    const [{ sessionId, view, earlier }, { newest, facts: ofSite }] = await Promise.all([
      past,
      readKnown(identity, preview, siteTokens),
    ]);
    const told = situationsIn(earlier);
    const last = told.findLast(({ siteId }) => siteId !== undefined);
    const isKnown = last?.siteId === identity.id && told.some((each) => each.isFull === true);
    const isOtherSite = last !== undefined && last.siteId !== identity.id;
    const since = isOtherSite ? null : horizonOf(view, earlier);
    const others =
      since && !isNewest(since, newest) ? await othersLines(content, since, ownIn(sessionId, view, since), zone) : [];
    const before = isKnown ? (last.facts ?? {}) : {};
    const facts = { ...ofSite, ...toolServerFacts(toolServers), ...windowFact(shareOf(view), before) };
    const gone = await goneLines(content, before, facts);
    return {
      siteId: identity.id,
      ...newest,
      facts,
      lines: [...newLines(before, facts), ...gone],
      others,
      isFull: !isKnown,
    };
  };
  const readName = async (): Promise<Told> => {
    const [{ view, earlier }, site] = await Promise.all([past, siteLine(content, identity)]);
    const before = situationsIn(earlier).findLast((each) => each.facts !== undefined)?.facts ?? {};
    const facts = { site, ...toolServerFacts(toolServers), ...windowFact(shareOf(view), before) };
    return { facts, lines: newLines(before, facts), others: [] };
  };
  const read = await within(SITE_LIMIT_MS, mayRead ? readSite() : readName());
  if (read === null) return { content: { text: now, ...here }, isByOthers: false };
  const { lines, others, ...known } = read;
  const about =
    others.length === 0 ? [] : ['Changed by others since you last looked:', ...others.map((each) => `- ${each}`)];
  const news = [...lines, ...about];
  const text = news.length === 0 && wasToldLately((await past).earlier) ? '' : [now, ...news].join('\n');
  return { content: { text, ...here, ...known }, isByOthers: others.length > 0 };
}

/** The newest change, and the lines about the site at that change or later. */
function readKnown(site: TurnSite, preview: Situation['preview'], maxTokens: number) {
  const { content, knownFacts = new KnownFacts() } = site;
  return knownFacts.read(
    JSON.stringify([site.id, site.address, preview, maxTokens]),
    () => newestChange(content),
    () => readFacts(content, site, preview, maxTokens),
  );
}

/** Share of the usable tokens from which on it is told, in percent, and the steps. Choices, not measured. */
const TOLD_FROM = 60;
const TOLD_STEP = 10;

/**
 * How full the context window is, so that the model can finish or note down what it holds in mind. Empty below 60 %,
 * unless more was told before.
 */
function windowFact(share: number, before: Readonly<Record<string, string>>): Record<string, string> {
  const percent = Math.min(100, Math.floor(Math.round(share * 100) / TOLD_STEP) * TOLD_STEP);
  if (percent >= TOLD_FROM)
    return { [WINDOW_KEY]: `Context window: about ${percent} % used; when it is full, older messages are summarized.` };
  return before[WINDOW_KEY] === undefined ? {} : { [WINDOW_KEY]: `Context window: less than ${TOLD_FROM} % used.` };
}

/** True if nothing has changed after that point. */
function isNewest(since: Horizon, { changeId, changeRevision }: NewestChange): boolean {
  return !('time' in since) && since.changeId === changeId && since.changeRevision === changeRevision;
}

/** What the environment contexts of these messages say, in order. */
function situationsIn(messages: readonly Message[]): Situation[] {
  return messages.flatMap(({ parts }) => parts.filter(isSituation).map((part) => part.content));
}

/** Milliseconds: the time alone is not sent again earlier than this. A choice, not measured. */
const CLOCK_MS = 15 * 60_000;

function wasToldLately(earlier: readonly Message[]): boolean {
  const last = earlier.findLast(({ parts }) => parts.some((part) => isSituation(part) && part.content.text !== ''));
  return last !== undefined && Date.now() - last.createdAt < CLOCK_MS;
}

/** Lines that are new or have changed. */
function newLines(before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): string[] {
  return Object.entries(now).flatMap(([key, text]) =>
    before[key] === text ? [] : [text + wasNote(before[key], text)],
  );
}

/** Names the previous path of a moved page. */
function wasNote(before: string | undefined, now: string): string {
  const [was, is] = [before, now].map((text) => (text === undefined ? undefined : PAGE_PATH.exec(text)?.[1]));
  const isTold = was === undefined || is === undefined || was === is || now.endsWith(`${VISITORS_AT}${was}`);
  return isTold ? '' : `, was ${was}`;
}

/**
 * Lines for pages that were listed before and are gone. Each is looked up, because a page may also be missing only
 * because this model's list is shorter.
 */
async function goneLines(
  content: ContentBackend,
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): Promise<string[]> {
  const missing = Object.entries(before).filter(([key]) => key.startsWith(PAGE_KEY) && !(key in now));
  const entries = await Promise.all(missing.map(([key]) => content.find(key.slice(PAGE_KEY.length))));
  return missing.flatMap(([, text], index) => (entries[index] === null ? [`Gone: ${text}`] : []));
}

/**
 * Returns the point of the assistant's latest information: the newest environment context, the summary (which contains
 * the state at its time), or the previous message. Null at the start of a conversation.
 */
function horizonOf({ summary }: StoredView, earlier: readonly Message[]): Horizon | null {
  const last = earlier.findLast(({ parts }) => parts.some((part) => isSituation(part) && part.content.siteId));
  const told = last?.parts.findLast(isSituation);
  if (last && told && (summary === null || last.createdAt > summary.createdAt)) {
    const { changeId = null, changeRevision } = told.content;
    return { changeId, changeRevision };
  }
  const looked = summary ?? earlier.at(-1);
  return looked ? { time: looked.createdAt } : null;
}

/**
 * Matches the assistant's own changes in this conversation, except those of an answer that the view no longer contains.
 */
function ownIn(sessionId: string, { messages }: StoredView, since: Horizon): (change: ChangeSet) => boolean {
  const turns = new Set(messages.map(({ turnId }) => turnId));
  return ({ origin }) =>
    origin.actor === 'assistant' &&
    origin.sessionId === sessionId &&
    ('time' in since || origin.turnId === undefined || turns.has(origin.turnId));
}

/** Maximum characters of what one server says of itself, and maximum number of servers. Choices, not measured. */
const MAX_SERVER_CHARS = 600;
const MAX_SERVERS = 20;

/** Lines with what the connected tool servers say about their use, keyed by server. Their words are data. */
function toolServerFacts(servers: readonly { readonly name: string; readonly text: string }[]): Record<string, string> {
  return Object.fromEntries(
    servers
      .slice(0, MAX_SERVERS)
      .map(({ name, text }) => [
        `tool-server:${name}`,
        contextLine(
          `Tool server "${name}" says about its tools (its words, not the user's): ${text}`,
          MAX_SERVER_CHARS,
        ),
      ]),
  );
}
