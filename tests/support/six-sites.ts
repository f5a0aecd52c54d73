import type { StarterKitName } from '#server/core/site/starter/starter-kits';
import { accountsEnvironment, type AccountsServer, startAccountsServer } from '#tests/support/accounts-server';
import { freePort } from '#tests/support/free-port';

/** What the owner of an empty site answers. */
interface Brief {
  readonly kit: StarterKitName;
  readonly siteName: string;
  readonly what: string;
  readonly audience: string;
  readonly action: string;
  readonly language: 'en' | 'de';
  /** Brand colour that the owner chooses. */
  readonly brand: string;
}

/** One for each kit. */
export const briefs: readonly Brief[] = [
  {
    kit: 'studio',
    siteName: 'Stillwater Yoga',
    what: 'Yoga in small groups beside the river',
    audience: 'For people who sit all day, and for everybody who has never stood on a mat',
    action: 'Book a trial class',
    language: 'en',
    brand: '#3f5d4a',
  },
  {
    kit: 'cafe',
    siteName: 'Café Zuckerhut',
    what: 'Kaffee, Kuchen und Frühstück am Markt',
    audience: 'Für Nachbarn, Marktgänger und alle, die einen ruhigen Tisch suchen',
    action: 'Tisch reservieren',
    language: 'de',
    brand: '#8c2f39',
  },
  {
    kit: 'consultant',
    siteName: 'Marlow & Finch',
    what: 'Advice for family businesses that change hands',
    audience: 'For owners who hand over, and for those who take over',
    action: 'Arrange a first talk',
    language: 'en',
    brand: '#1f4b8e',
  },
  {
    kit: 'club',
    siteName: 'Ruderverein Auen',
    what: 'Rudern für Kinder, Jugendliche und Erwachsene',
    audience: 'Für alle ab acht Jahren, die schwimmen können',
    action: 'Zum Probetraining',
    language: 'de',
    brand: '#b3431e',
  },
  {
    kit: 'workshop',
    siteName: 'Hobel & Span',
    what: 'Tables, shelves and repairs from local wood',
    audience: 'For people who want one good table instead of three',
    action: 'Describe your project',
    language: 'en',
    brand: '#7a5a12',
  },
  {
    kit: 'shop',
    siteName: 'The Corner Larder',
    what: 'Oil, cheese and pasta from people we know',
    audience: 'For cooks, and for people who need a present by five',
    action: 'Plan your visit',
    language: 'en',
    brand: '#235b73',
  },
];

/** A published site of its own, on a new database. */
export interface SiteFromBrief extends AsyncDisposable {
  readonly server: AccountsServer;
  /** Where visitors see it, without a slash at the end. */
  readonly site: string;
  /** Paths of its pages; the start page is the first one. */
  readonly paths: readonly string[];
}

/** Makes the site of a brief and publishes its design and all its pages. */
export async function startSiteFromBrief({ brand, ...brief }: Brief): Promise<SiteFromBrief> {
  const port = await freePort();
  const site = `http://${brief.kit}.localhost:${port}`;
  const server = await startAccountsServer({ port, env: { ...accountsEnvironment(port), SITE_URL: site } });
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await server.ask(server.people.owner, { method, path: `/api/content/${path}`, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json();
  };
  await ask('POST', 'start', brief);
  await ask('PATCH', 'design', { palette: { brand } });
  await ask('POST', 'design/publish');
  const { items } = (await ask('GET', 'pages')) as { items: { id: string; path: string }[] };
  for (const { id } of items) await ask('POST', `pages/${id}/publish`);
  const paths = items.map(({ path }) => path).toSorted();
  return { server, site, paths, [Symbol.asyncDispose]: async () => void (await server.stop()) };
}
