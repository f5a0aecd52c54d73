import { SITE_HEADER } from '#components/api/tab-site';
import type { CostGroup } from '#server/core/spending';
import type { EntryStatus, EntryType } from '#server/core/content';
import type { ChangeActor, ChangeTarget } from '#server/core/changes';
import type { ExportFormat } from '#server/core/sessions';
import type { TrashKind } from '#server/core/site-lists';

/** The newest turns of a conversation, or those before `cursor`. */
export interface MessagePage {
  readonly cursor: string | null;
  /** Stored messages; there are so many more that no turn is cut. */
  readonly limit: number;
}

/** Filter for pictures of the media library. */
export interface MediaFilter {
  /** Words that filename, description or tags hold. */
  readonly q?: string | undefined;
  /** Only those that nobody has described. */
  readonly missingAlt?: '1' | undefined;
  /** Only those that no page or post shows. */
  readonly unused?: '1' | undefined;
  readonly state?: 'live' | 'trashed' | undefined;
}

/** Filter for pages or posts. */
export interface EntryFilter {
  /** Words that title, address or short description hold. */
  readonly text?: string | undefined;
  readonly status?: EntryStatus | undefined;
  /** Only those that are published by themselves at a time to come. */
  readonly scheduled?: '1' | undefined;
}

/** Filter for what visitors sent by forms. */
export interface SubmissionFilter {
  /** Words that labels or answers hold. */
  readonly text?: string | undefined;
  /** The form it came from. */
  readonly sectionId?: string | undefined;
  readonly unread?: '1' | undefined;
}

/** Filter for changes of the site. */
export interface ChangesFilter {
  readonly sessionId?: string | undefined;
  readonly turnId?: string | undefined;
  readonly targetId?: string | undefined;
  readonly targetType?: ChangeTarget | undefined;
  readonly actor?: ChangeActor | undefined;
}

/** Days and grouping of a report of costs. */
interface CostsView {
  /** `2026-11-24` (UTC) */
  readonly from: string;
  readonly by: CostGroup;
}

/** File import options. */
export interface ImportOptions {
  /** Also fetch the pictures that it only names. */
  readonly pictures: boolean;
  /** Also take its name, tagline and menu, in place of those that are there. */
  readonly settings: boolean;
  /** Only say what would come of it. */
  readonly dryRun?: boolean;
  /** The site that it goes into. */
  readonly site?: string | undefined;
  /** Approves of what a dry run counted. */
  readonly approve?: string | undefined;
}

const session = (id: string) => `/api/sessions/${encodeURIComponent(id)}`;
const compaction = (sessionId: string, id: string) => `${session(sessionId)}/compactions/${encodeURIComponent(id)}`;
const chat = (id: string) => `/api/chat/${encodeURIComponent(id)}`;
const entry = (type: EntryType, ref: string) => `/api/content/${type}s/${encodeURIComponent(ref)}`;
const asset = (id: string) => `/api/content/media/${encodeURIComponent(id)}`;
const importRun = (id: string) => `/api/content/imports/${encodeURIComponent(id)}`;
const flag = (isSet: boolean | undefined) => (isSet ? '1' : undefined);
const queryString = (values: Readonly<Record<string, string | undefined>>) =>
  new URLSearchParams(Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined));
const queue = '/api/message/queue';
const queueOf = (sessionId: string) => `${queue}?sessionId=${encodeURIComponent(sessionId)}`;
const queued = (id: string) => `${queue}/${encodeURIComponent(id)}`;

/** Addresses of the API; those that SWR caches are also the keys to refresh it by. */
export const paths = {
  sessions: '/api/sessions?limit=100',
  models: '/api/models',
  /** The same, with prices by the turns of a conversation. */
  modelsIn: (sessionId: string) => `/api/models?${queryString({ sessionId })}`,
  /** Calls of other assistants that wait for a decision, among others. */
  callRequests: '/api/call-requests',
  /** Calls in the conversations of authors that an editor has to decide. */
  editorialCalls: '/api/approvals',
  /** Sessions whose title contains the text. */
  sessionsNamed: (text: string) => `/api/sessions?limit=50&q=${encodeURIComponent(text)}`,
  session,
  chat,
  queue,
  queueOf,
  queued,
  export: (sessionId: string, format: ExportFormat) => `${session(sessionId)}/export?format=${format}`,
  /** The context for a model; without one, for the session's own. */
  context: (sessionId: string, modelId?: string) =>
    `${session(sessionId)}/context${modelId === undefined ? '' : `?modelId=${encodeURIComponent(modelId)}`}`,
  /** A page of the administrator's table; `query` has its filters and cursor. */
  adminSessions: (query: string) => `/api/admin/sessions?${query}`,
  adminSession: (sessionId: string) => `/api/admin/sessions/${encodeURIComponent(sessionId)}`,
  /** Context fill, step by step. */
  contextHistory: (sessionId: string) => `${session(sessionId)}/context/history`,
  /** The next request, piece by piece. */
  nextRequest: (sessionId: string) => `${session(sessionId)}/context/request`,
  /** The next request as its messages. */
  contextMessages: (sessionId: string) => `${session(sessionId)}/context/messages`,
  /** Lasting wishes of the user that it keeps in mind. */
  wishes: (sessionId: string) => `${session(sessionId)}/wishes`,
  /** One compaction or prune, with what it made and kept. */
  compaction,
  /** A page of the transcript. */
  messages: (sessionId: string, { cursor, limit }: MessagePage) =>
    `${session(sessionId)}/messages?format=ui&limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
  /** A page of the list of pages or posts, as last edited. */
  entryList: (type: EntryType, filter: EntryFilter, limit: number, cursor?: string) =>
    `/api/content/${type}s?${queryString({ ...filter, limit: String(limit), cursor })}`,
  /** A page of the steps that the conversation made on the site, newest first. */
  thread: (sessionId: string, limit: number, cursor?: string) =>
    `${session(sessionId)}/thread?${queryString({ limit: String(limit), cursor })}`,
  /** A page of what was said in one conversation or, for null, in all of one's own, the newest first. */
  search: (sessionId: string | null, text: string, cursor?: string) =>
    `/api/search?${queryString({ q: text, session: sessionId ?? undefined, limit: '20', cursor })}`,
  entries: (type: EntryType) => `/api/content/${type}s?limit=100`,
  settings: '/api/content/settings',
  /** Abilities of the connected CMS. */
  capabilities: '/api/content/capabilities',
  tags: '/api/content/tags',
  /** A page of the journal, newest first; `before`: those before that change. */
  changes: (filter: ChangesFilter, limit: number, before?: string) =>
    `/api/content/changes?${queryString({ ...filter, limit: String(limit), before })}`,
  /** Key of the first pages of the journal, which are read together. */
  changesKey: (filter: ChangesFilter | null, limit: number, pages: number) =>
    ['/api/content/changes', JSON.stringify(filter), limit, pages] as const,
  /** One change, field by field. */
  change: (id: string) => `/api/content/changes/${encodeURIComponent(id)}`,
  /** By id, slug or title. */
  entry,
  /** Its earlier states, newest first. */
  versions: (type: EntryType, ref: string) => `${entry(type, ref)}/versions`,
  standingInstructions: '/api/content/standing-instructions',
  /** Deleted things, the last first. */
  trash: (kind: TrashKind, cursor?: string) => `/api/content/trash?${queryString({ kind, cursor })}`,
  /** Old addresses. */
  redirects: '/api/content/redirects',
  /** A page of the media library, newest first. */
  media: (filter: MediaFilter, limit: number, cursor?: string) =>
    `/api/content/media?${queryString({ ...filter, limit: String(limit), cursor })}`,
  /** Pictures are posted here; see components/api/upload-file. */
  newMedia: '/api/content/media',
  /** Pictures that the site shows, and where. */
  usedPictures: '/api/content/media/uses',
  asset,
  importRun,
  replaceAsset: (id: string) => `${asset(id)}/replace`,
  /** References to a picture. */
  assetUses: (id: string) => `${asset(id)}/references`,
  /** Imports of sites, running and past, newest first. */
  imports: '/api/content/imports',
  /** Export files are posted here; see components/api/upload-file. */
  newImport: ({ pictures, settings, dryRun, site, approve }: ImportOptions) =>
    `/api/content/imports?${queryString({ pictures: flag(pictures), settings: flag(settings), dryRun: flag(dryRun), site, approve })}`,
  /** The sites that can be worked on. */
  sites: '/api/sites',
  /** The published site as static files; `check` asks only whether they can be made. */
  siteFiles: ({ url, check }: { readonly url: string; readonly check: boolean }) =>
    `/api/content/site-files?${queryString({ url, check: flag(check) })}`,
  /** The whole site as a file. `media`: with the bytes of its pictures. */
  siteExport: ({ media, site }: { readonly media: boolean; readonly site: string | null }) =>
    `/api/content/export?${queryString({ media: flag(media), [SITE_HEADER]: site ?? undefined })}`,
  /** A page of what visitors sent by forms, newest first. */
  submissions: (filter: SubmissionFilter, cursor?: string) => `/api/submissions?${queryString({ ...filter, cursor })}`,
  submissionOverview: '/api/submissions/overview',
  /** Submissions as a table. */
  submissionExport: (filter: SubmissionFilter) => `/api/submissions/export?${queryString({ ...filter })}`,
  /** The budgets that concern the user, and one of their conversations. */
  budgets: (sessionId: string | null) => `/api/budgets?${queryString({ sessionId: sessionId ?? undefined })}`,
  /** Model costs since a given day. */
  costs: (query: CostsView) => `/api/admin/costs?${queryString({ ...query })}`,
  costsCsv: (query: CostsView) => `/api/admin/costs/csv?${queryString({ ...query })}`,
  /** Settings of the engine and the process. */
  engineSettings: '/api/settings',
  toolServers: '/api/settings/mcp-servers',
};
