import { addressOf, type Query, writeAddress } from '#components/api/routes.ts';
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

/** Filter and order of pages or posts. */
export interface EntryFilter {
  /** Words in titles, addresses, short descriptions, tags or texts. */
  readonly search?: string | undefined;
  readonly tag?: string | undefined;
  readonly author?: string | undefined;
  /** Id of the page directly above; `none`: the pages at the top. */
  readonly parent?: string | undefined;
  /** Time of the last edit; epoch ms. */
  readonly updatedFrom?: number | undefined;
  readonly updatedBefore?: number | undefined;
  readonly sort?: 'updated' | 'created' | 'title' | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
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

/** What is imported from a file, and where to. */
export interface ImportChoices {
  /** Also fetch pictures that the file only links to. */
  readonly pictures: boolean;
  /** Also import the name, tagline and menu of the site, replacing the present ones. */
  readonly settings: boolean;
  /** The site to import into. */
  readonly site?: string | undefined;
}

/** File import options. */
export interface ImportOptions extends ImportChoices {
  /** Only report what would happen. */
  readonly dryRun?: boolean;
  /** Approves the counts of a dry run. */
  readonly approve?: string | undefined;
}

const flag = (isSet: boolean | undefined) => (isSet ? ('1' as const) : undefined);
const collectionOf = (type: EntryType) => `${type}s`;

/** Query of an import of a file. */
export const importQuery = ({ pictures, settings, dryRun, site, approve }: ImportOptions) => ({
  pictures: flag(pictures),
  settings: flag(settings),
  dryRun: flag(dryRun),
  site,
  approve,
});

/** Addresses of GET requests; those that SWR caches are also the keys to refresh it by. */
export const paths = {
  sessions: addressOf('/api/sessions', { query: { limit: 100 } }),
  /** A page of the list of sessions. */
  sessionsFrom: (cursor: string | null) =>
    addressOf('/api/sessions', { query: { limit: 100, cursor: cursor ?? undefined } }),
  models: addressOf('/api/models'),
  /** The models, with prices based on the turns of a conversation. */
  modelsIn: (sessionId: string) => addressOf('/api/models', { query: { sessionId } }),
  /** Calls of other assistants, including those that wait for a decision. */
  callRequests: addressOf('/api/call-requests'),
  /** A call of another assistant with its whole effect. */
  callRequest: (id: string) => addressOf('/api/call-requests/{id}', { params: { id } }),
  /** Calls in conversations of authors that an editor has to decide. */
  editorialCalls: addressOf('/api/approvals'),
  approval: (id: string, approvalId: string) =>
    addressOf('/api/sessions/{id}/approvals/{approvalId}', { params: { id, approvalId } }),
  /** Calls of a conversation that wait for a decision. */
  approvals: (id: string) => addressOf('/api/sessions/{id}/approvals', { params: { id } }),
  /** Sessions whose title contains the text. */
  sessionsNamed: (q: string) => addressOf('/api/sessions', { query: { limit: 50, q } }),
  session: (id: string) => addressOf('/api/sessions/{id}', { params: { id } }),
  export: (id: string, format: ExportFormat) =>
    addressOf('/api/sessions/{id}/export', { params: { id }, query: { format } }),
  /** The context for a model; without a model, for the session's own. */
  context: (id: string, modelId?: string) =>
    addressOf('/api/sessions/{id}/context', { params: { id }, query: { modelId } }),
  /** A page of the administrator's table. */
  adminSessions: (query: Query<'GET', '/api/admin/sessions'>) => addressOf('/api/admin/sessions', { query }),
  adminSession: (id: string) => addressOf('/api/admin/sessions/{id}', { params: { id } }),
  /** Context fill, step by step. */
  contextHistory: (id: string) => addressOf('/api/sessions/{id}/context/history', { params: { id } }),
  /** The next request, piece by piece. */
  nextRequest: (id: string) => addressOf('/api/sessions/{id}/context/request', { params: { id } }),
  /** The next request as its messages. */
  contextMessages: (id: string) => addressOf('/api/sessions/{id}/context/messages', { params: { id } }),
  /** Lasting preferences of the user in a session. */
  preferences: (id: string) => addressOf('/api/sessions/{id}/wishes', { params: { id } }),
  /** One compaction or prune, with what it produced and kept. */
  compaction: (id: string, compactionId: string) =>
    addressOf('/api/sessions/{id}/compactions/{compactionId}', { params: { id, compactionId } }),
  /** A page of the transcript. */
  messages: (id: string, { cursor, limit }: MessagePage) =>
    addressOf('/api/sessions/{id}/messages', {
      params: { id },
      query: { format: 'ui', limit, cursor: cursor ?? undefined },
    }),
  /** A page of the list of pages or posts in their draft state. */
  entryList: (type: EntryType, filter: EntryFilter, limit: number, cursor?: string) =>
    addressOf('/api/content/{collection}', {
      params: { collection: collectionOf(type) },
      query: { ...filter, limit, cursor },
    }),
  /** A page of the checkpoints of the site in the history of a conversation, newest first. */
  history: (id: string, limit: number, cursor?: string) =>
    addressOf('/api/sessions/{id}/thread', { params: { id }, query: { limit, cursor } }),
  /** A page of search results in one conversation or, for null, in all of the user's own, newest first. */
  search: (sessionId: string | null, text: string, cursor?: string) =>
    addressOf('/api/search', { query: { q: text, session: sessionId ?? undefined, limit: 20, cursor } }),
  entries: (type: EntryType) =>
    addressOf('/api/content/{collection}', { params: { collection: collectionOf(type) }, query: { limit: 100 } }),
  settings: addressOf('/api/content/settings'),
  navigation: addressOf('/api/content/navigation'),
  /** A palette with the colours of a picture. */
  picturePalette: (id: string) => addressOf('/api/content/media/{id}/palette', { params: { id } }),
  /** The design: its draft, and what visitors see. */
  design: addressOf('/api/content/design'),
  /** Abilities of the connected CMS. */
  capabilities: addressOf('/api/content/capabilities'),
  tags: addressOf('/api/content/tags'),
  authors: addressOf('/api/content/authors'),
  /** A page of the journal, newest first; `before`: changes before that one. */
  changes: (filter: ChangesFilter, limit: number, before?: string) =>
    addressOf('/api/content/changes', { query: { ...filter, limit, before } }),
  /** The changes after one, oldest first. */
  changesAfter: (after: string, limit: number) => addressOf('/api/content/changes', { query: { after, limit } }),
  /** SWR key of the first pages of the journal, which are read together. */
  changesKey: (filter: ChangesFilter | null, limit: number, pages: number) =>
    ['/api/content/changes', JSON.stringify(filter), limit, pages] as const,
  /** One change, field by field. */
  change: (id: string) => addressOf('/api/content/changes/{id}', { params: { id } }),
  /** An entry by its id, slug or title. */
  entry: (type: EntryType, ref: string) =>
    addressOf('/api/content/{collection}/{ref}', { params: { collection: collectionOf(type), ref } }),
  /** Earlier versions of an entry, newest first. */
  versions: (type: EntryType, ref: string) =>
    addressOf('/api/content/{collection}/{ref}/versions', { params: { collection: collectionOf(type), ref } }),
  /** Differences between two versions of an entry: `published`, `draft`, or a revision. */
  differences: (type: EntryType, ref: string, from: string, to: string) =>
    addressOf('/api/content/{collection}/{ref}/differences', {
      params: { collection: collectionOf(type), ref },
      query: { from, to },
    }),
  /** Comments of people with a preview link. */
  comments: (type: EntryType, ref: string) =>
    addressOf('/api/content/{collection}/{ref}/comments', { params: { collection: collectionOf(type), ref } }),
  /** Links that show the draft of an entry to people without an account. */
  previewLinks: (type: EntryType, ref: string) =>
    addressOf('/api/content/{collection}/{ref}/preview-links', { params: { collection: collectionOf(type), ref } }),
  standingInstructions: addressOf('/api/content/standing-instructions'),
  /** Deleted items, the last deleted first. */
  trash: (kind: TrashKind, cursor?: string) => addressOf('/api/content/trash', { query: { kind, cursor } }),
  /** Scheduled publications, the earliest first. */
  scheduled: addressOf('/api/content/planned', { query: { limit: 20 } }),
  /** Old addresses. */
  redirects: addressOf('/api/content/redirects'),
  /** A page of the media library, newest first. */
  media: (filter: MediaFilter, limit: number, cursor?: string) =>
    addressOf('/api/content/media', { query: { ...filter, limit, cursor } }),
  /** Pictures that the site shows, with the pages that show them. */
  usedPictures: addressOf('/api/content/media/uses'),
  asset: (id: string) => addressOf('/api/content/media/{id}', { params: { id } }),
  importRun: (id: string) => addressOf('/api/content/imports/{id}', { params: { id } }),
  /** References to a picture. */
  assetUses: (id: string) => addressOf('/api/content/media/{id}/references', { params: { id } }),
  /** Imports of sites, running and past, newest first. */
  imports: addressOf('/api/content/imports'),
  /** The sites that the user may work on. */
  sites: addressOf('/api/sites'),
  /** The published site as static files; `check` only tests whether they can be made. */
  siteFiles: ({ url, check }: { readonly url: string; readonly check: boolean }) =>
    addressOf('/api/content/site-files', { query: { url, check: flag(check) } }),
  /** The whole site as a file. `media`: including the bytes of its pictures. */
  siteExport: ({ media, site }: { readonly media: boolean; readonly site: string | null }) =>
    writeAddress('/api/content/export', { query: { media: flag(media), [SITE_HEADER]: site ?? undefined } }),
  /** A page of form submissions, newest first. */
  submissions: (filter: SubmissionFilter, cursor?: string) =>
    addressOf('/api/submissions', { query: { ...filter, cursor } }),
  submissionOverview: addressOf('/api/submissions/overview'),
  /** Submissions as a table. */
  submissionExport: (filter: SubmissionFilter) => addressOf('/api/submissions/export', { query: { ...filter } }),
  /** The budgets that apply to the user and to one of their conversations. */
  budgets: (sessionId: string | null) => addressOf('/api/budgets', { query: { sessionId: sessionId ?? undefined } }),
  /** Model costs since a given day. */
  /** Compactions of conversations that other programs store. */
  programCompactions: addressOf('/api/admin/program-compactions'),
  costs: (query: CostsView) => addressOf('/api/admin/costs', { query: { ...query } }),
  costsCsv: (query: CostsView) => addressOf('/api/admin/costs/csv', { query: { ...query } }),
  /** Settings of the engine and the process. */
  engineSettings: addressOf('/api/settings'),
  toolServers: addressOf('/api/settings/mcp-servers'),
  /** Model servers, such as Ollama, on the machine of this server. */
  localServers: addressOf('/api/settings/local-servers'),
  /** The built-in site and all connected ones, with the default site. */
  connectedSites: addressOf('/api/settings/sites'),
  /** A page of the audit log, newest first. */
  auditLog: (query: Query<'GET', '/api/admin/audit'>) => addressOf('/api/admin/audit', { query }),
  /** The audit log as a file. */
  auditExport: (query: Query<'GET', '/api/admin/audit/export'>) => addressOf('/api/admin/audit/export', { query }),
  me: addressOf('/api/auth/me'),
  people: addressOf('/api/users'),
  signIns: addressOf('/api/auth/sign-ins'),
  factors: addressOf('/api/auth/factors'),
  /** A prepared copy of the database. */
  backup: (id: string) => addressOf('/api/backups/{id}', { params: { id } }),
  /** JSON file with everything about a person. */
  personalData: (email: string) => addressOf('/api/personal-data', { query: { email } }),
  apiKeys: addressOf('/api/keys'),
  allApiKeys: addressOf('/api/keys', { query: { all: '1' } }),
};
