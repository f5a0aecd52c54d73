import type { ServerText } from '#server/core/coded-message';
import { messageOfText, textFromRow } from '#server/core/message-data';
import type { Clock, FaultLog } from '#server/core/process';
import { isDeepStrictEqual } from 'node:util';
import type { ContentBackend } from '#server/site/content-backend';
import type { ConnectedContent } from '#server/site/connected-content';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { ConflictError, InvalidInputError, NotFoundError, ThroughlineError } from '#server/core/errors';
import { type Signals, sitesTopic } from '#server/core/conversation/events';
import type {
  PullProgress,
  SiteAbilities,
  SiteChoice,
  SitesReport,
  SiteTest,
  WordPressSite,
} from '#server/core/site/remote-site';
import { includesSite } from '#server/core/admin/site-access';
import { createHider, isSealed } from '#server/core/secrets';
import { serverText } from '#server/core/messages/server-text';
import { type SiteTool, siteTools } from '#server/integrations/abilities/ability-tools';
import type { StoredWordPressSite, WordPressSiteRepository } from '#server/wordpress/store/wordpress-site-repository';
import type { CmsConnector, SiteChanges, SiteConnection } from '#server/site/connections/cms-connector';

/** What `Sites` needs. */
export interface SitesOptions extends FaultLog, Partial<Clock> {
  readonly store: WordPressSiteRepository;
  /** The built-in site. */
  readonly embedded: ContentBackend;
  /** CMS adapter of the connected sites. */
  readonly connected: CmsConnector;
  readonly signals: Signals;
}

/** Longest time, milliseconds, until a switch by another process is noticed without a signal. */
const MAX_AGE_MS = 5_000;

const SITE_DISCONNECTED = serverText('site-disconnected');

const PASSWORD_UNREADABLE = serverText('site-password-unreadable');

/** A connected site that this process has opened. */
interface OpenSite {
  readonly connection: SiteConnection;
  readonly abilities: SiteAbilities;
  readonly opened: ConnectedContent;
  fault: ServerText | null;
}

/** A pull that runs in this process. */
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
  #tools: readonly SiteTool[] = [];
  readonly #open = new Map<string, OpenSite>();
  readonly #pulls = new Map<string, Pull>();
  #readAt: number;
  /** Number of changes by this process: a list that was read before such a change is outdated. */
  #changeCount = 0;
  #reading: Promise<void> | null = null;
  #isStale = false;
  #isClosed = false;

  private constructor(options: SitesOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#readAt = this.#now();
    this.#unsubscribe = options.signals.subscribe(sitesTopic, () => this.#refreshSoon());
  }

  /**
   * Reads the connected sites without sending a request. In the background, first pulls that a stop interrupted resume,
   * and sites whose remarks an earlier version stored without their data are tested again.
   */
  static async load(options: SitesOptions): Promise<Sites> {
    const sites = new Sites(options);
    await sites.refresh();
    for (const { id, pulledAt } of sites.#stored) if (pulledAt === null) sites.#startPull(id);
    void sites.#completeRemarks();
    return sites;
  }

  /** The default site for visitors and programs that name none, and for people who have not chosen one. */
  get standardId(): string {
    if (this.#now() - this.#readAt >= MAX_AGE_MS) this.#refreshSoon();
    return this.#stored.find(({ isActive }) => isActive)?.id ?? EMBEDDED_SITE;
  }

  /** Ids of the connected sites whose content was taken over completely. */
  get connectedIds(): readonly string[] {
    return this.#stored.flatMap(({ id, pulledAt }) => (pulledAt === null ? [] : [id]));
  }

  /** Name and address of a connected site; null for the built-in site and for sites that are not connected. */
  wordPress(siteId: string): Pick<WordPressSite, 'name' | 'url'> | null {
    return this.#stored.find(({ id }) => id === siteId) ?? null;
  }

  /**
   * Tools that the connected sites offer, each for conversations about its site. The same array until something
   * changes.
   */
  get tools(): readonly SiteTool[] {
    return this.#tools;
  }

  /**
   * The site that a principal requested or, if it named none, the default site or else the first one that it may work on.
   * @param theirs sites that the principal may work on; null: all
   * @param requested id of the requested site; null: none was named
   * @returns null if the principal may work on no site
   * @throws NotFoundError for a site that does not exist or that the principal may not work on; the error is the same
   * for both
   */
  async choose(theirs: readonly string[] | null, requested: string | null): Promise<string | null> {
    const standard = this.standardId;
    if (requested === null && includesSite(theirs, standard)) return standard;
    // Another process may have connected the site since the last refresh.
    if (requested !== null && !this.#all.includes(requested)) await this.refresh();
    const open = this.#all.filter((id) => includesSite(theirs, id));
    if (requested !== null && !open.includes(requested)) throw new NotFoundError('site', requested.slice(0, 80));
    return requested ?? open[0] ?? null;
  }

  /** Ids of all sites except the given one. */
  otherThan(siteId: string): readonly string[] {
    return [EMBEDDED_SITE, ...this.#stored.map(({ id }) => id)].filter((id) => id !== siteId);
  }

  /** Content of a site. @throws ConflictError for a site that is not connected */
  contentOf(siteId: string): ContentBackend {
    if (siteId === EMBEDDED_SITE) return this.#options.embedded;
    this.requireConnected(siteId);
    return this.#openSite(siteId).opened.content;
  }

  /** @throws ConflictError for a site that is not connected, except the built-in one */
  requireConnected(siteId: string): void {
    if (siteId === EMBEDDED_SITE || this.#stored.some(({ id }) => id === siteId)) return;
    throw new ConflictError(SITE_DISCONNECTED);
  }

  /** Checks that all ids are sites. @throws InvalidInputError that names the others and lists the existing sites */
  async requireAll(siteIds: readonly string[]): Promise<void> {
    if (siteIds.every((id) => id === EMBEDDED_SITE)) return;
    await this.refresh();
    const unknown = siteIds.filter((id) => id !== EMBEDDED_SITE && this.wordPress(id) === null);
    if (unknown.length === 0) return;
    const known = [EMBEDDED_SITE, ...this.#stored.map(({ id, name }) => `${id} (${name})`)];
    throw new InvalidInputError(serverText('sites-unknown', { ids: unknown.join(', '), sites: known.join(', ') }));
  }

  get #all(): readonly string[] {
    return [EMBEDDED_SITE, ...this.connectedIds];
  }

  /** Reads the stored sites again, because another process may have changed them. */
  async refresh(): Promise<void> {
    const before = this.#changeCount;
    const stored = await this.#options.store.list();
    if (before === this.#changeCount) this.#adopt(stored);
  }

  /** The sites as the settings page shows them. */
  async report(): Promise<SitesReport> {
    await this.refresh();
    return { activeSiteId: this.standardId, wordpress: this.#stored.map((site) => this.#reportOf(site)) };
  }

  /** The sites that a principal can work on, the built-in one first. @param theirs as in `choose` */
  async choices(theirs: readonly string[] | null = null): Promise<SiteChoice[]> {
    const [{ siteName }] = await Promise.all([this.#options.embedded.settings(), this.refresh()]);
    const connected = this.#stored.filter(({ pulledAt }) => pulledAt !== null);
    return [
      { id: EMBEDDED_SITE, name: siteName, url: null },
      ...connected.map(({ id, name, url }) => ({ id, name, url })),
    ].filter(({ id }) => includesSite(theirs, id));
  }

  /** Tests a connection without storing it. @throws InvalidInputError for an invalid address */
  async test({ url, ...rest }: SiteConnection): Promise<SiteTest> {
    return this.#testConnection({ ...rest, url: this.#options.connected.address(url) });
  }

  /**
   * Connects a site and takes over its content in the background. This does not change the site on which any person
   * works.
   * @throws InvalidInputError with the result of the connection test, ConflictError; nothing was stored then
   */
  async connect({ url, ...rest }: SiteConnection): Promise<StoredWordPressSite> {
    const connection = { ...rest, url: this.#options.connected.address(url) };
    const { name, abilities } = await this.#requireWorking(connection);
    const site = await this.#storeChange(
      this.#options.store.create({ ...connection, proxy: connection.proxy || null, name, abilities }),
    );
    this.#startPull(site.id);
    return site;
  }

  /** Changes the user or password of a site after testing them. @throws NotFoundError, InvalidInputError */
  async update(id: string, { username, password, proxy }: SiteChanges): Promise<StoredWordPressSite> {
    await this.refresh();
    const stored = this.#find(id);
    if (password === undefined && isSealed(stored.password)) throw new InvalidInputError(PASSWORD_UNREADABLE);
    const connection = {
      url: stored.url,
      username: username ?? stored.username,
      password: password ?? stored.password,
      proxy: proxy ?? stored.proxy ?? null,
    };
    const { name, abilities } = await this.#requireWorking(connection);
    const { url: _, ...changes } = connection;
    const site = await this.#storeChange(this.#options.store.update(id, { ...changes, name, abilities }));
    const open = this.#open.get(id);
    if (open) open.fault = null;
    await this.#stopPull(id);
    this.#startPull(id);
    return site;
  }

  /**
   * Makes a site the default one.
   * @returns its name; null for the built-in site
   * @throws NotFoundError; ConflictError as `WordPressSiteRepository.activate`
   */
  async activate(siteId: string): Promise<string | null> {
    await this.#storeChange(this.#options.store.activate(siteId));
    if (siteId === EMBEDDED_SITE) return null;
    return this.#find(siteId).name;
  }

  /** Pulls changes in the background. @throws NotFoundError, InvalidInputError */
  async pull(id: string): Promise<void> {
    await this.refresh();
    if (isSealed(this.#find(id).password)) throw new InvalidInputError(PASSWORD_UNREADABLE);
    this.#startPull(id);
  }

  /**
   * Deletes a connection with the local copy of its content. The site itself does not change.
   * @returns the deleted site
   * @throws NotFoundError; ConflictError while it is the default site, or while work on it is running
   */
  async disconnect(id: string): Promise<StoredWordPressSite> {
    await this.refresh();
    if (!this.#find(id).isActive) await this.#stopPull(id);
    return this.#storeChange(this.#options.store.delete(id));
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

  async #testConnection(connection: SiteConnection): Promise<SiteTest> {
    return withoutPassword(connection, await this.#options.connected.test(connection));
  }

  /** @throws InvalidInputError with the problem that the test found */
  async #requireWorking(connection: SiteConnection) {
    const test = await this.#testConnection(connection);
    if (!test.ok) throw new InvalidInputError(textFromRow(test.message, test.reason ?? null));
    return test;
  }

  async #storeChange<T>(change: Promise<T>): Promise<T> {
    const result = await change;
    this.#changeCount += 1;
    this.#options.signals.notify(sitesTopic);
    await this.refresh();
    return result;
  }

  /** Refreshes in the background, one refresh at a time; a change during a refresh causes another one. */
  #refreshSoon(): void {
    if (this.#isClosed) return;
    this.#readAt = this.#now();
    this.#isStale = this.#reading !== null;
    this.#reading ??= this.refresh()
      .catch((error: unknown) => this.#options.onFault('the connected sites cannot be read', error))
      .finally(() => {
        this.#reading = null;
        if (this.#isStale) this.#refreshSoon();
      });
  }

  /**
   * Takes over the stored sites and reopens a site whose connection has changed. Calls that have started finish on
   * their original connection.
   */
  #adopt(stored: readonly StoredWordPressSite[]): void {
    this.#readAt = this.#now();
    const offered = (sites: readonly StoredWordPressSite[]) => sites.map(({ id, abilities }) => [id, abilities.tools]);
    const hasSameTools = isDeepStrictEqual(offered(this.#stored), offered(stored));
    this.#stored = stored;
    if (!hasSameTools) this.#tools = stored.flatMap((site) => this.#toolsOf(site));
    for (const [id, { connection, abilities }] of this.#open) {
      const site = stored.find((each) => each.id === id);
      const { username, password, proxy } = connection;
      const isSame = site?.username === username && site.password === password && site.proxy === proxy;
      if (!isSame || !isDeepStrictEqual(site.abilities, abilities)) this.#open.delete(id);
    }
  }

  #toolsOf({ id, abilities: { tools = [] } }: StoredWordPressSite): readonly SiteTool[] {
    return siteTools(id, tools, async (...call) => {
      this.requireConnected(id);
      const { runAbility } = this.#openSite(id).opened;
      if (runAbility === undefined) throw new InvalidInputError(serverText('no-site-tools'));
      return runAbility(...call);
    });
  }

  #openSite(id: string): OpenSite {
    const present = this.#open.get(id);
    if (present) return present;
    const { url, username, password, proxy, abilities } = this.#find(id);
    // Without this, the sealed text would be sent to the site as if it were the password.
    const opened = { password: isSealed(password) ? '' : password, proxy: isSealed(proxy ?? '') ? null : proxy };
    const reached = { id, url, username, ...opened, abilities };
    const site: OpenSite = {
      connection: { url, username, password, proxy },
      abilities,
      opened: this.#options.connected.open(reached, (message) => {
        site.fault = withoutPassword(reached, message);
      }),
      fault: null,
    };
    this.#open.set(id, site);
    return site;
  }

  /**
   * Replaces abilities whose remarks have no data and can therefore only be shown in English. A site that cannot be
   * tested keeps them until the next start. Never rejects.
   */
  async #completeRemarks(): Promise<void> {
    for (const site of this.#stored.filter(hasPlainRemarks)) {
      if (this.#isClosed) return;
      if (isSealed(site.password) || isSealed(site.proxy ?? '')) continue;
      try {
        const test = await this.#testConnection(site);
        // Meanwhile another user of the site may have been entered, or the site disconnected.
        await this.refresh();
        const now = this.#stored.find(({ id }) => id === site.id);
        if (this.#isClosed || !test.ok || hasPlainRemarks(test) || !isDeepStrictEqual(now, site)) continue;
        await this.#storeChange(this.#options.store.update(site.id, { abilities: test.abilities }));
      } catch (error) {
        if (!this.#isClosed) this.#options.onFault('the remarks about a site could not be completed', error);
      }
    }
  }

  /** Starts a pull, one at a time per site. */
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
      // Lets the caller continue first: `onProgress` uses the object that is being created from this promise.
      await Promise.resolve();
      await site.opened.pull(onProgress, signal);
      signal.throwIfAborted();
      site.fault = null;
      await this.#storeChange(this.#options.store.setPulled(id, startedAt));
    } catch (error) {
      if (signal.aborted) return;
      site.fault = withoutPassword(site.connection, faultOf(error));
      if (!(error instanceof ThroughlineError)) this.#options.onFault('a site could not be taken over', error);
    }
  }

  #reportOf({ id, url, username, password, name, isActive, abilities, pulledAt }: StoredWordPressSite): WordPressSite {
    const fault = isSealed(password) ? PASSWORD_UNREADABLE : (this.#open.get(id)?.fault ?? null);
    const pulling = this.#pulls.get(id)?.progress ?? null;
    const why = { fault: fault && fault.text, faultMessage: fault && messageOfText(fault) };
    return { id, url, username, name, isActive, abilities, pulledAt, pulling, ...why };
  }
}

/** True if an earlier version found the remarks. */
function hasPlainRemarks({ abilities }: { readonly abilities: SiteAbilities }): boolean {
  return abilities.remarkMessages === undefined && abilities.remarks.length > 0;
}

/** Removes the credentials, in plain and in encoded form, from a message or report, because a site may repeat them. */
function withoutPassword<T>({ username, password, proxy }: SiteConnection, message: T): T {
  const sent = Buffer.from(`${username}:${password}`).toString('base64');
  const proxySecrets = proxy ? [proxy, proxy.slice(proxy.indexOf(':') + 1), Buffer.from(proxy).toString('base64')] : [];
  return createHider([password, password.replaceAll(' ', ''), sent, ...proxySecrets])(message) as T;
}

function faultOf(error: unknown): ServerText {
  return error instanceof ThroughlineError ? error.text : serverText('site-not-copied');
}
