import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { CurrentSite } from '#server/site/connections/current-site';
import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { EMBEDDED_SITE } from '#server/core/site/content';
import { ConflictError, InvalidInputError, NotFoundError } from '#server/core/errors';
import type { PullProgress, SiteAbilities, SiteTest } from '#server/core/site/remote-site';
import type { Signals } from '#server/core/conversation/events';
import { LocalSignals } from '#server/platform/signals/signals';
import { Sites, type SitesOptions } from '#server/site/connections/sites';
import { safeSiteAddress } from '#server/wordpress/wordpress-sites';
import { createContentRepository } from '#server/site/store/content-repository';
import type { Database } from '#server/platform/database/database';
import { createSecretBox } from '#server/platform/database/secret-box';
import { createWordPressSiteRepository } from '#server/wordpress/store/wordpress-site-repository';
import { itWithDatabase as it } from '#tests/support/test-database';

const SECRET = 'a secret of more than thirty-two characters';
const abilities = {
  version: '6.1',
  userName: 'Mara',
  canPublish: true,
  canEditPages: true,
  canUpload: true,
  canSetSettings: true,
  canSetNavigation: true,
  remarks: [],
};
const input = { url: 'kiln.example/wp-admin/', username: 'mara', password: 'right' };

/** One taking over, as the test lets it go on. */
interface FakePull {
  readonly password: string;
  readonly progress: (progress: PullProgress) => void;
  readonly signal: AbortSignal;
  readonly succeed: () => void;
  readonly fail: (error: Error) => void;
}

const noFault = (message: string, error: unknown) => {
  throw new Error(message, { cause: error });
};

/** A site whose user has the password `right`; what it would keep is in our own store. */
async function openSites(
  db: Database,
  options: { signals?: Signals; secret?: string; now?: () => number; found?: SiteAbilities } = {},
) {
  const { signals = new LocalSignals(noFault), secret = SECRET, now, found = abilities } = options;
  const pulls: FakePull[] = [];
  /** Passwords that sites were opened with. */
  const opened: string[] = [];
  const contentOf = (siteId: string) => new EmbeddedSite(createContentRepository(db, siteId));
  const open: SitesOptions['connected']['open'] = ({ id, password }, onFault) => (
    opened.push(password),
    {
      content: contentOf(id),
      pull: (progress = () => undefined, signal = new AbortController().signal) => {
        onFault(null);
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        pulls.push({ password, progress, signal, succeed: resolve, fail: reject });
        return promise;
      },
    }
  );
  const sites = await Sites.load({
    store: createWordPressSiteRepository(db, createSecretBox({ secret, databaseUrl: db.url })),
    embedded: contentOf(EMBEDDED_SITE),
    connected: {
      address: safeSiteAddress,
      open,
      test: ({ password }): Promise<SiteTest> =>
        Promise.resolve(
          password === 'right'
            ? { ok: true, name: 'Kiln', abilities: found }
            : { ok: false, message: 'Wrong password.' },
        ),
    },
    signals,
    onFault: noFault,
    ...(now && { now }),
  });
  return { sites, pulls, opened };
}

/** The newest of the pulls, once there are that many. */
async function nthPull(pulls: readonly FakePull[], count: number): Promise<FakePull> {
  await vi.waitFor(() => expect(pulls).toHaveLength(count));
  return pulls[count - 1]!;
}

async function connected(t: Awaited<ReturnType<typeof openSites>>, url = input.url): Promise<string> {
  const { id } = await t.sites.connect({ ...input, url });
  (await nthPull(t.pulls, t.pulls.length || 1)).succeed();
  await vi.waitFor(async () => {
    await t.sites.report();
    expect(t.sites.connectedIds).toContain(id);
  });
  return id;
}

it('connects a site that passes its test, copies it in the background, and reports progress', async ({ db }) => {
  const { sites, pulls } = await openSites(db);
  await expect(sites.connect({ ...input, password: 'wrong' })).rejects.toThrow(
    new InvalidInputError('Wrong password.'),
  );
  await expect(sites.connect({ ...input, url: 'http://kiln.example' })).rejects.toThrow('unencrypted');
  await expect(sites.test({ ...input, url: 'http://kiln.example' })).rejects.toThrow(InvalidInputError);
  expect(await sites.test({ ...input, password: 'wrong' })).toEqual({ ok: false, message: 'Wrong password.' });
  expect(await sites.report()).toEqual({ activeSiteId: EMBEDDED_SITE, wordpress: [] });

  const { id } = await sites.connect(input);
  await expect(sites.connect({ ...input, url: 'https://kiln.example/' })).rejects.toThrow(ConflictError);
  const pull = await nthPull(pulls, 1);
  pull.progress({ phase: 'posts', done: 3, total: 9 });
  await sites.pull(id);
  const report = await sites.report();
  expect(report).toEqual({
    activeSiteId: EMBEDDED_SITE,
    wordpress: [
      {
        id,
        url: 'https://kiln.example',
        username: 'mara',
        name: 'Kiln',
        isActive: false,
        abilities,
        pulledAt: null,
        pulling: { phase: 'posts', done: 3, total: 9 },
        fault: null,
        faultMessage: null,
      },
    ],
  });
  await expect(sites.activate(id)).rejects.toThrow(ConflictError);
  pull.fail(new InvalidInputError('It does not answer.'));
  await vi.waitFor(async () =>
    expect((await sites.report()).wordpress).toMatchObject([
      { pulling: null, pulledAt: null, fault: 'It does not answer.' },
    ]),
  );
  expect(pulls).toHaveLength(1);
  await sites.pull(id);
  (await nthPull(pulls, 2)).succeed();
  await vi.waitFor(async () => {
    const [site] = (await sites.report()).wordpress;
    expect(site).toMatchObject({ pulling: null, fault: null });
    expect(site!.pulledAt).not.toBeNull();
  });
  await sites.close();
});

it('refuses each call for a site that is gone, also for drafts', () => {
  const gone = new CurrentSite(() => {
    throw new ConflictError('gone');
  });
  for (const content of [gone, gone.draftsOnly()]) {
    expect(() => content.query({})).toThrow('gone');
    expect(() => content.assets.list({})).toThrow('gone');
  }
});

it('gives a person no site without access, for any request', async ({ db }) => {
  const t = await openSites(db);
  const [one, two] = [await connected(t, 'https://one.example'), await connected(t, 'https://two.example')];
  const all = [EMBEDDED_SITE, one, two];
  const someSites = fc.option(fc.subarray([...all, 'wps_gone']), { nil: null });
  const asked = fc.option(fc.constantFrom(...all, 'wps_gone', '', '__proto__'), { nil: null });
  await fc.assert(
    fc.asyncProperty(someSites, asked, fc.constantFrom(...all), async (theirs, wanted, standard) => {
      await t.sites.activate(standard);
      const allowed = all.filter((id) => theirs === null || theirs.includes(id));
      expect((await t.sites.choices(theirs)).map(({ id }) => id)).toEqual(allowed);
      const choice = t.sites.choose(theirs, wanted);
      const first = allowed.includes(standard) ? standard : (allowed[0] ?? null);
      if (wanted === null || allowed.includes(wanted)) expect(await choice).toBe(wanted ?? first);
      else await expect(choice).rejects.toThrow(NotFoundError);
    }),
    { numRuns: 25 },
  );
  await t.sites.close();
});

it('follows another process at its signal, and without one after a while', async ({ db }) => {
  const signals = new LocalSignals(noFault);
  const t = await openSites(db, { signals });
  const id = await connected(t);
  const near = await openSites(db, { signals, now: () => 0 });
  let time = 0;
  const far = await openSites(db, { now: () => time });
  await t.sites.activate(id);
  await vi.waitFor(() => expect(near.sites.standardId).toBe(id));
  expect(far.sites.standardId).toBe(EMBEDDED_SITE);
  time = 5_000;
  await vi.waitFor(() => expect(far.sites.standardId).toBe(id));
  for (const { sites } of [t, near, far]) await sites.close();
});

it('ends an initial copy when it is closed, changed or disconnected, and resumes at the start', async ({ db }) => {
  const first = await openSites(db);
  const { id } = await first.sites.connect(input);
  const pull = await nthPull(first.pulls, 1);
  await first.sites.close();
  expect(pull.signal.aborted).toBe(true);

  const second = await openSites(db);
  const again = await nthPull(second.pulls, 1);
  await second.sites.update(id, { username: 'ben' });
  expect(again.signal.aborted).toBe(true);
  const third = await nthPull(second.pulls, 2);
  await second.sites.disconnect(id);
  expect(third.signal.aborted).toBe(true);
  expect(await second.sites.report()).toEqual({ activeSiteId: EMBEDDED_SITE, wordpress: [] });
  await second.sites.close();
});

it('accepts another password that works, and requests one if the stored one is unreadable', async ({ db }) => {
  const t = await openSites(db);
  const id = await connected(t);
  await t.sites.activate(id);
  await expect(t.sites.update(id, { password: 'wrong' })).rejects.toThrow('Wrong password.');
  await t.sites.close();

  const { sites, pulls, opened } = await openSites(db, { secret: `${SECRET}!` });
  const [site] = (await sites.report()).wordpress;
  expect(site).toMatchObject({ isActive: true, fault: expect.stringContaining('Enter the password again') as string });
  await expect(sites.pull(id)).rejects.toThrow('Enter the password again');
  await expect(sites.update(id, { username: 'ben' })).rejects.toThrow('Enter the password again');
  // What is here can be read all the same.
  expect((await sites.contentOf(id).query({ type: 'page' })).total).toBe(0);
  expect(pulls).toEqual([]);
  // Nothing that is no password is sent as one.
  expect(opened).toEqual(['']);
  await sites.update(id, { password: 'right' });
  expect((await nthPull(pulls, 1)).password).toBe('right');
  expect((await sites.report()).wordpress).toMatchObject([{ fault: null }]);
  await sites.close();
});

it('reads remarks again that an earlier version stored without their data', async ({ db }) => {
  const plain = { ...abilities, remarks: ['Authors are kept here.'] };
  const first = await openSites(db, { found: plain });
  await connected(first);
  await first.sites.close();
  const found = { ...plain, remarkMessages: [{ code: 'wordpress-no-authors', params: {} }] };
  const { sites } = await openSites(db, { found });
  await vi.waitFor(async () => expect((await sites.report()).wordpress).toMatchObject([{ abilities: found }]));
  await sites.close();
});
