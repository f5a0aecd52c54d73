import { SITE_HEADER } from '#components/api/tab-site.ts';
import type { CostGroup } from '#server/core/admin/spending';
import type { EntryStatus, EntryType } from '#server/core/site/content';
import type { ChangeActor, ChangeTarget } from '#server/core/site/changes';
import type { ExportFormat } from '#server/core/conversation/session-export';
import type { TrashKind } from '#server/core/site/trash';

/** The newest turns of a conversation, or those before `cursor`. */
export interface MessagePage {
  readonly cursor: string | null;
  /** Most stored messages; exceeded so that no turn is cut. */
  readonly limit: number;
}

/** Filter for pictures of the media library. */
export interface MediaFilter {
  /** Text in file name, description or tags. */
  readonly q?: string | undefined;
  /** Only pictures without a description. */
  readonly missingAlt?: '1' | undefined;
  /** Only pictures that no page or post shows. */
  readonly unused?: '1' | undefined;
  readonly state?: 'live' | 'trashed' | undefined;
}

/** Filter for pages or posts. */
export interface EntryFilter {
  /** Text in title, address or short description. */
  readonly text?: string | undefined;
  readonly status?: EntryStatus | undefined;
  /** Only entries with a scheduled publication. */
  readonly scheduled?: '1' | undefined;
}

/** Filter for form submissions of visitors. */
export interface SubmissionFilter {
  /** Text in labels or answers. */
  readonly text?: string | undefined;
  /** Id of the section with the form that the submission was sent with. */
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
  /** Also fetch pictures that the file only links to. */
  readonly pictures: boolean;
  /** Also import the name, tagline and menu of the site, replacing the present ones. */
  readonly settings: boolean;
  /** Only report what would happen. */
  readonly dryRun?: boolean;
  /** The site to import into. */
  readonly site?: string | undefined;
  /** Approves the counts of a dry run. */
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

/** API paths; those that SWR caches are also the keys to refresh it by. */
export const paths = {
  sessions: '/api/sessions?limit=100',
  models: '/api/models',
  learnedWindow: (modelId: string) => `/api/settings/learned-windows?modelId=${encodeURIComponent(modelId)}`,
  /** The models, with prices based on the turns of a conversation. */
  modelsIn: (sessionId: string) => `/api/models?${queryString({ sessionId })}`,
  /** Calls of other assistants, including those that wait for a decision. */
  callRequests: '/api/call-requests',
  /** Calls in conversations of authors that an editor has to decide. */
  editorialCalls: '/api/approvals',
  approval: (sessionId: string, approvalId: string) =>
    `/api/sessions/${encodeURIComponent(sessionId)}/approvals/${approvalId}`,
  /** Sessions whose title contains the text. */
  sessionsNamed: (text: string) => `/api/sessions?limit=50&q=${encodeURIComponent(text)}`,
  session,
  chat,
  queue,
  queueOf,
  queued,
  export: (sessionId: string, format: ExportFormat) => `${session(sessionId)}/export?format=${format}`,
  /** The context for a model; without a model, for the session's own. */
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
  /** Lasting preferences of the user in a session. */
  preferences: (sessionId: string) => `${session(sessionId)}/wishes`,
  /** One compaction or prune, with what it produced and kept. */
  compaction,
  /** A page of the transcript. */
  messages: (sessionId: string, { cursor, limit }: MessagePage) =>
    `${session(sessionId)}/messages?format=ui&limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
  /** A page of the list of pages or posts in their draft state. */
  entryList: (type: EntryType, filter: EntryFilter, limit: number, cursor?: string) =>
    `/api/content/${type}s?${queryString({ ...filter, limit: String(limit), cursor })}`,
  /** A page of the checkpoints of the site in the history of a conversation, newest first. */
  history: (sessionId: string, limit: number, cursor?: string) =>
    `${session(sessionId)}/thread?${queryString({ limit: String(limit), cursor })}`,
  /** A page of search results in one conversation or, for null, in all of the user's own, newest first. */
  search: (sessionId: string | null, text: string, cursor?: string) =>
    `/api/search?${queryString({ q: text, session: sessionId ?? undefined, limit: '20', cursor })}`,
  entries: (type: EntryType) => `/api/content/${type}s?limit=100`,
  settings: '/api/content/settings',
  /** Abilities of the connected CMS. */
  capabilities: '/api/content/capabilities',
  tags: '/api/content/tags',
  /** A page of the journal, newest first; `before`: changes before that one. */
  changes: (filter: ChangesFilter, limit: number, before?: string) =>
    `/api/content/changes?${queryString({ ...filter, limit: String(limit), before })}`,
  /** SWR key of the first pages of the journal, which are read together. */
  changesKey: (filter: ChangesFilter | null, limit: number, pages: number) =>
    ['/api/content/changes', JSON.stringify(filter), limit, pages] as const,
  /** One change, field by field. */
  change: (id: string) => `/api/content/changes/${encodeURIComponent(id)}`,
  /** An entry by its id, slug or title. */
  entry,
  /** Earlier versions of an entry, newest first. */
  versions: (type: EntryType, ref: string) => `${entry(type, ref)}/versions`,
  standingInstructions: '/api/content/standing-instructions',
  /** Deleted items, the last deleted first. */
  trash: (kind: TrashKind, cursor?: string) => `/api/content/trash?${queryString({ kind, cursor })}`,
  /** Old addresses. */
  redirects: '/api/content/redirects',
  /** A page of the media library, newest first. */
  media: (filter: MediaFilter, limit: number, cursor?: string) =>
    `/api/content/media?${queryString({ ...filter, limit: String(limit), cursor })}`,
  /** Upload address for pictures; see components/api/upload-file. */
  newMedia: '/api/content/media',
  /** Pictures that the site shows, with the pages that show them. */
  usedPictures: '/api/content/media/uses',
  asset,
  importRun,
  replaceAsset: (id: string) => `${asset(id)}/replace`,
  /** References to a picture. */
  assetUses: (id: string) => `${asset(id)}/references`,
  /** Imports of sites, running and past, newest first. */
  imports: '/api/content/imports',
  /** Upload address for export files; see components/api/upload-file. */
  newImport: ({ pictures, settings, dryRun, site, approve }: ImportOptions) =>
    `/api/content/imports?${queryString({ pictures: flag(pictures), settings: flag(settings), dryRun: flag(dryRun), site, approve })}`,
  /** The sites that the user may work on. */
  sites: '/api/sites',
  /** The published site as static files; `check` only tests whether they can be made. */
  siteFiles: ({ url, check }: { readonly url: string; readonly check: boolean }) =>
    `/api/content/site-files?${queryString({ url, check: flag(check) })}`,
  /** The whole site as a file. `media`: including the bytes of its pictures. */
  siteExport: ({ media, site }: { readonly media: boolean; readonly site: string | null }) =>
    `/api/content/export?${queryString({ media: flag(media), [SITE_HEADER]: site ?? undefined })}`,
  /** A page of form submissions, newest first. */
  submissions: (filter: SubmissionFilter, cursor?: string) => `/api/submissions?${queryString({ ...filter, cursor })}`,
  submissionOverview: '/api/submissions/overview',
  /** Submissions as a table. */
  submissionExport: (filter: SubmissionFilter) => `/api/submissions/export?${queryString({ ...filter })}`,
  /** The budgets that apply to the user and to one of their conversations. */
  budgets: (sessionId: string | null) => `/api/budgets?${queryString({ sessionId: sessionId ?? undefined })}`,
  /** Model costs since a given day. */
  costs: (query: CostsView) => `/api/admin/costs?${queryString({ ...query })}`,
  costsCsv: (query: CostsView) => `/api/admin/costs/csv?${queryString({ ...query })}`,
  /** Settings of the engine and the process. */
  engineSettings: '/api/settings',
  toolServers: '/api/settings/mcp-servers',
};
