import { isDeepStrictEqual } from 'node:util';
import type { ConnectedContent, ContentBackend } from '#server/content/content-backend';
import { EMBEDDED_SITE } from '#server/core/content';
import { ConflictError, InvalidInputError, NotFoundError, ThroughlineError } from '#server/core/errors';
import { type Signals, sitesTopic } from '#server/core/events';
import type {
  PullProgress,
  SiteAbilities,
  SiteChoice,
  SitesReport,
  SiteTest,
  WordPressSite,
} from '#server/core/remote-site';
import { isTheirSite } from '#server/core/people';
import { createHider, isSealed } from '#server/core/secrets';
import type { StoredWordPressSite, WordPressSiteRepository } from '#server/store/wordpress-site-repository';

/** Address and credentials of a connected site. */
export interface SiteConnection {
  readonly url: string;
  readonly username: string;
  /** An application password. */
  readonly password: string;
}

/** Changes to a connection; a value that is left out stays. */
export interface SiteChanges {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** A kind of CMS whose sites can be connected. */
export interface CmsConnector {
  /**
   * The address as it is stored, from what an administrator typed.
   * @throws InvalidInputError with a sentence for that person
   */
  readonly address: (typed: string) => string;
  /**
   * Creates the CMS adapter of a site without sending a request.
   * @param onFault receives why the site could not be reached; null once it answers again
   */
  readonly open: (
    site: SiteConnection & Pick<StoredWordPressSite, 'id' | 'abilities'>,
    onFault: (message: string | null) => void,
  ) => ConnectedContent;
  /** Connects once. What the site does wrong is a result, not an exception. */
  readonly test: (connection: SiteConnection) => Promise<SiteTest>;
}

export interface SitesOptions {
  readonly store: WordPressSiteRepository;
  /** The site kept in our own database. */
  readonly embedded: ContentBackend;
  /** CMS adapter of the connected sites. */
  readonly connected: CmsConnector;
  readonly signals: Signals;
  /** Epoch milliseconds. Default: the clock. */
  readonly now?: () => number;
  readonly onFault: (message: string, error?: unknown) => void;
}

/** Longest time, milliseconds, until a switch by another process is noticed without a signal. */
const MAX_AGE_MS = 5_000;

const SITE_IS_GONE =
  'The site of this conversation is not connected any more. What was said can still be read; for other work, start a new conversation.';

const UNREADABLE = 'The stored application password cannot be read: AUTH_SECRET has changed. Enter the password again.';

/** A connected site that this process has opened. */
interface OpenSite {
  readonly connection: SiteConnection;
  readonly abilities: SiteAbilities;
  readonly opened: ConnectedContent;
  fault: string | null;
}

interface Pull {
  readonly controller: AbortController;
  progress: PullProgress;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

/** The built-in and the connected sites. Each conversation works on one of them. */
export class Sites {
  readonly #options: SitesOptions;
  readonly #now: () => number;
  readonly #unsubscribe: () => void;
  #stored: readonly StoredWordPressSite[] = [];
  readonly #open = new Map<string, OpenSite>();
  readonly #pulls = new Map<string, Pull>();
  #readAt: number;
  /** Number of our own changes: a list that was read before one is out of date. */
  #changeCount = 0;
  #reading: Promise<void> | null = null;
  #isStale = false;
  #isClosed = false;

  private constructor(options: SitesOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#readAt = this.#now();
    this.#unsubscribe = options.signals.subscribe(sitesTopic, () => this.#reread());
  }

  /** Reads the connected sites without sending a request. First pulls that a stop interrupted resume in the background. */
  static async load(options: SitesOptions): Promise<Sites> {
    const sites = new Sites(options);
    await sites.refresh();
    for (const { id, pulledAt } of sites.#stored) if (pulledAt === null) sites.#startPull(id);
    return sites;
  }

  /** The site of visitors and programs that name none, and of people who have not chosen one. */
  get standardId(): string {
    if (this.#now() - this.#readAt >= MAX_AGE_MS) this.#reread();
    return this.#stored.find(({ isActive }) => isActive)?.id ?? EMBEDDED_SITE;
  }

  /** Ids of the connected sites that were taken over as a whole. */
  get connectedIds(): readonly string[] {
    return this.#stored.flatMap(({ id, pulledAt }) => (pulledAt === null ? [] : [id]));
  }

  /** Name and address of a connected site; null: it is our own, or not connected (any more). */
  wordPress(siteId: string): Pick<WordPressSite, 'name' | 'url'> | null {
    return this.#stored.find(({ id }) => id === siteId) ?? null;
  }

  /**
   * The site that somebody asks for or, where they name none, may begin with.
   * @param theirs sites that they may work on; null: all
   * @returns null where there is none for them
   * @throws NotFoundError for a site that is not there, or not theirs: who asks learns no difference
   */
  async choose(theirs: readonly string[] | null, asked: string | null): Promise<string | null> {
    const standard = this.standardId;
    if (asked === null && isTheirSite(theirs, standard)) return standard;
    // Another process may have connected it.
    if (asked !== null && !this.#all.includes(asked)) await this.refresh();
    const open = this.#all.filter((id) => isTheirSite(theirs, id));
    if (asked !== null && !open.includes(asked)) throw new NotFoundError('site', asked.slice(0, 80));
    return asked ?? open[0] ?? null;
  }

  /** Sites whose conversations are shown where each of them is worked on. */
  besides(siteId: string): readonly string[] {
    return [EMBEDDED_SITE, ...this.#stored.map(({ id }) => id)].filter((id) => id !== siteId);
  }

  /** Content of a site. @throws ConflictError for one that is not connected (any more) */
  contentOf(siteId: string): ContentBackend {
    if (siteId === EMBEDDED_SITE) return this.#options.embedded;
    this.requireConnected(siteId);
    return this.#openSite(siteId).opened.content;
  }

  /** @throws ConflictError */
  requireConnected(siteId: string): void {
    if (siteId === EMBEDDED_SITE || this.#stored.some(({ id }) => id === siteId)) return;
    throw new ConflictError(SITE_IS_GONE);
  }

  /** @throws InvalidInputError that names those of these ids that are no site, and the sites that there are */
  async requireAll(siteIds: readonly string[]): Promise<void> {
    if (siteIds.every((id) => id === EMBEDDED_SITE)) return;
    await this.refresh();
    const strange = siteIds.filter((id) => id !== EMBEDDED_SITE && this.wordPress(id) === null);
    if (strange.length === 0) return;
    const known = [EMBEDDED_SITE, ...this.#stored.map(({ id, name }) => `${id} (${name})`)];
    throw new InvalidInputError(`There is no site ${strange.join(', ')}. The sites are: ${known.join(', ')}.`);
  }

  get #all(): readonly string[] {
    return [EMBEDDED_SITE, ...this.connectedIds];
  }

  /** Reads the stored sites again: another process may have changed them. */
  async refresh(): Promise<void> {
    const before = this.#changeCount;
    const stored = await this.#options.store.list();
    if (before === this.#changeCount) this.#take(stored);
  }

  /** The sites as the settings page shows them. */
  async report(): Promise<SitesReport> {
    await this.refresh();
    return { activeSiteId: this.standardId, wordpress: this.#stored.map((site) => this.#reportOf(site)) };
  }

  /** The sites that somebody can work on, the built-in one first. @param theirs as in `choose` */
  async choices(theirs: readonly string[] | null = null): Promise<SiteChoice[]> {
    await this.refresh();
    const { siteName } = await this.#options.embedded.settings();
    const connected = this.#stored.filter(({ pulledAt }) => pulledAt !== null);
    return [
      { id: EMBEDDED_SITE, name: siteName, url: null },
      ...connected.map(({ id, name, url }) => ({ id, name, url })),
    ].filter(({ id }) => isTheirSite(theirs, id));
  }

  /** Connects once. @throws InvalidInputError for an address that cannot be one */
  async test({ url, ...rest }: SiteConnection): Promise<SiteTest> {
    return this.#tested({ ...rest, url: this.#options.connected.address(url) });
  }

  /**
   * Connects a site, and takes over its content in the background; nobody is switched to it by that.
   * @throws InvalidInputError with what the connection test found, ConflictError; nothing was stored
   */
  async connect({ url, ...rest }: SiteConnection): Promise<StoredWordPressSite> {
    const connection = { ...rest, url: this.#options.connected.address(url) };
    const { name, abilities } = await this.#passed(connection);
    const site = await this.#changed(this.#options.store.create({ ...connection, name, abilities }));
    this.#startPull(site.id);
    return site;
  }

  /** Another user or password for a site, once they are tested. @throws NotFoundError, InvalidInputError */
  async update(id: string, { username, password }: SiteChanges): Promise<StoredWordPressSite> {
    await this.refresh();
    const stored = this.#find(id);
    if (password === undefined && isSealed(stored.password)) throw new InvalidInputError(UNREADABLE);
    const connection = {
      url: stored.url,
      username: username ?? stored.username,
      password: password ?? stored.password,
    };
    const { name, abilities } = await this.#passed(connection);
    const { url: _, ...changes } = connection;
    const site = await this.#changed(this.#options.store.update(id, { ...changes, name, abilities }));
    const open = this.#open.get(id);
    if (open) open.fault = null;
    await this.#stopPull(id);
    this.#startPull(id);
    return site;
  }

  /**
   * Makes a site the standard one. @returns its name, null for our own
   * @throws NotFoundError, ConflictError; see WordPressSiteRepository
   */
  async activate(siteId: string): Promise<string | null> {
    await this.#changed(this.#options.store.activate(siteId));
    if (siteId === EMBEDDED_SITE) return null;
    return this.#find(siteId).name;
  }

  /** Pulls changes in the background. @throws NotFoundError, InvalidInputError */
  async pull(id: string): Promise<void> {
    await this.refresh();
    if (isSealed(this.#find(id).password)) throw new InvalidInputError(UNREADABLE);
    this.#startPull(id);
  }

  /**
   * Forgets a site, and the copy of it here. Nothing changes on the site itself.
   * @returns what is gone @throws NotFoundError, ConflictError while it is the standard site, and while somebody
   * works on it
   */
  async disconnect(id: string): Promise<StoredWordPressSite> {
    await this.refresh();
    if (!this.#find(id).isActive) await this.#stopPull(id);
    return this.#changed(this.#options.store.delete(id));
  }

  /** Ends running pulls; the next start resumes a first one. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const { controller } of this.#pulls.values()) controller.abort();
    await Promise.all([this.#reading, ...[...this.#pulls.values()].map(({ ended }) => ended)]);
  }

  /** @throws NotFoundError */
  #find(id: string): StoredWordPressSite {
    const site = this.#stored.find((each) => each.id === id);
    if (!site) throw new NotFoundError('connected site', id);
    return site;
  }

  async #tested(connection: SiteConnection): Promise<SiteTest> {
    return withoutPassword(connection, await this.#options.connected.test(connection));
  }

  /** @throws InvalidInputError with what is wrong */
  async #passed(connection: SiteConnection) {
    const test = await this.#tested(connection);
    if (!test.ok) throw new InvalidInputError(test.message);
    return test;
  }

  async #changed<T>(change: Promise<T>): Promise<T> {
    const result = await change;
    this.#changeCount += 1;
    this.#options.signals.notify(sitesTopic);
    await this.refresh();
    return result;
  }

  /** Refreshes in the background, one at a time; a change meanwhile causes another refresh. */
  #reread(): void {
    if (this.#isClosed) return;
    this.#readAt = this.#now();
    this.#isStale = this.#reading !== null;
    this.#reading ??= this.refresh()
      .catch((error: unknown) => this.#options.onFault('the connected sites cannot be read', error))
      .finally(() => {
        this.#reading = null;
        if (this.#isStale) this.#reread();
      });
  }

  /**
   * Takes over the stored sites; a site whose connection has changed is opened anew. Calls that have started finish on
   * the connection they started with.
   */
  #take(stored: readonly StoredWordPressSite[]): void {
    this.#readAt = this.#now();
    this.#stored = stored;
    for (const [id, { connection, abilities }] of this.#open) {
      const site = stored.find((each) => each.id === id);
      const { username, password } = connection;
      const isSame = site?.username === username && site.password === password;
      if (!isSame || !isDeepStrictEqual(site.abilities, abilities)) this.#open.delete(id);
    }
  }

  #openSite(id: string): OpenSite {
    const present = this.#open.get(id);
    if (present) return present;
    const { url, username, password, abilities } = this.#find(id);
    // A sealed text would be sent to the site as if it were the password.
    const reached = { id, url, username, password: isSealed(password) ? '' : password, abilities };
    const site: OpenSite = {
      connection: { url, username, password },
      abilities,
      opened: this.#options.connected.open(reached, (message) => {
        site.fault = withoutPassword(reached, message);
      }),
      fault: null,
    };
    this.#open.set(id, site);
    return site;
  }

  /** Starts a pull, one at a time for a site. */
  #startPull(id: string): void {
    if (this.#isClosed || this.#pulls.has(id) || isSealed(this.#find(id).password)) return;
    const controller = new AbortController();
    const pull: Pull = {
      controller,
      progress: { phase: 'pages', done: 0, total: 0 },
      ended: this.#pull(id, controller.signal, (progress) => {
        pull.progress = progress;
      }).finally(() => this.#pulls.delete(id)),
    };
    this.#pulls.set(id, pull);
  }

  async #stopPull(id: string): Promise<void> {
    const pull = this.#pulls.get(id);
    pull?.controller.abort();
    await pull?.ended;
  }

  /** Never rejects. */
  async #pull(id: string, signal: AbortSignal, onProgress: (progress: PullProgress) => void): Promise<void> {
    const site = this.#openSite(id);
    const startedAt = this.#now();
    try {
      // Whoever starts it may go on first: `onProgress` needs what is being made of this.
      await Promise.resolve();
      await site.opened.pull(onProgress, signal);
      signal.throwIfAborted();
      site.fault = null;
      await this.#changed(this.#options.store.setPulled(id, startedAt));
    } catch (error) {
      if (signal.aborted) return;
      site.fault = withoutPassword(site.connection, faultOf(error));
      if (!(error instanceof ThroughlineError)) this.#options.onFault('a site could not be taken over', error);
    }
  }

  #reportOf({ id, url, username, password, name, isActive, abilities, pulledAt }: StoredWordPressSite): WordPressSite {
    const fault = isSealed(password) ? UNREADABLE : (this.#open.get(id)?.fault ?? null);
    const pulling = this.#pulls.get(id)?.progress ?? null;
    return { id, url, username, name, isActive, abilities, pulledAt, pulling, fault };
  }
}

/** Hides the password in a message: a site may repeat it. */
function withoutPassword<T>({ username, password }: SiteConnection, told: T): T {
  const sent = Buffer.from(`${username}:${password}`).toString('base64');
  return createHider([password, password.replaceAll(' ', ''), sent])(told) as T;
}

function faultOf(error: unknown): string {
  if (error instanceof ThroughlineError) return error.message;
  return 'Its content could not be copied. The server log has the details.';
}
