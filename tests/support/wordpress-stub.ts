import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { startLoopback } from '#tests/support/loopback-server';

/** Who may sign in. */
export const STUB_USER = { username: 'mara', password: 'abcd EFGH 1234 ijkl' };

const CAPABILITIES = [
  'edit_posts',
  'edit_pages',
  'edit_others_pages',
  'publish_posts',
  'publish_pages',
  'upload_files',
  'manage_options',
];
const paragraph = (words: string) => `<!-- wp:paragraph -->\n<p>${words}</p>\n<!-- /wp:paragraph -->`;
/** A block that we do not know. */
const FOREIGN =
  '<!-- wp:shop/cart {"kind":"small"} --><div class="cart" data-n="2">Cart of the shop</div><!-- /wp:shop/cart -->';
const entry = (type: string, id: number, title: string, ...more: readonly string[]) => ({
  id,
  type,
  status: 'publish',
  slug: title.toLowerCase(),
  title: { raw: title },
  content: { raw: [paragraph(`All about ${title}.`), ...more].join('\n\n') },
  excerpt: { raw: '' },
  author: 1,
  date_gmt: '2024-01-02T03:04:05',
  modified_gmt: '2024-01-02T03:04:05',
  link: '',
});

const KILNS = entry('page', 7, 'Kilns', FOREIGN);
const NEWS = entry('post', 8, 'News');

/** What is at each address below /wp-json, for who has signed in. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/': { name: 'Stub &amp; Sons', namespaces: ['wp/v2'], authentication: { 'application-passwords': {} } },
  '/wp/v2/users/me': {
    id: 1,
    name: 'Mara',
    capabilities: Object.fromEntries(CAPABILITIES.map((name) => [name, true])),
  },
  '/wp/v2/users': [{ id: 1, name: 'Mara' }],
  '/wp/v2/pages': [KILNS],
  '/wp/v2/pages/7': KILNS,
  '/wp/v2/posts': [NEWS],
  '/wp/v2/posts/8': NEWS,
  '/wp/v2/media': [],
  '/wp/v2/tags': [],
  '/wp/v2/themes': [],
  '/wp/v2/navigation': [],
  '/wp/v2/settings': { title: 'Stub &amp; Sons', description: '' },
};

/** The draft that is sent, as a theme would show it. */
async function themed(request: IncomingMessage): Promise<string> {
  const { title, content } = (await json(request)) as { title: string; content: string };
  const script = '<script>document.title = "Scripts ran"</script>';
  return `<html><head><style>main { margin: 3rem; color: rgb(10, 20, 30) }</style>${script}</head><body>
    <nav>A theme</nav><main><h1>${title}</h1>${content}</main></body></html>`;
}

/** A site that answers what a WordPress does whose user may do everything but menus; nothing can be written. */
export interface WordPressStub {
  readonly url: string;
  /** From now on posts are answered once the returned function is called. */
  hold(): () => void;
  /** From now on it accepts autosaves of the page "Kilns", as the posts controller of WordPress does. */
  acceptAutosaves(): void;
  /** From now on it has the companion plugin, and shows drafts with a theme that has a script. */
  addCompanion(): void;
  close(): void;
}

export async function startWordPressStub(): Promise<WordPressStub> {
  const { username, password } = STUB_USER;
  const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  let held = Promise.resolve();
  let hasCompanion = false;
  let keepsAutosaves = false;
  const send = (response: ServerResponse, status: number, body: unknown) => {
    const total = String(Array.isArray(body) ? body.length : 1);
    const headers = { 'content-type': 'application/json', 'x-wp-total': total, 'x-wp-totalpages': '1' };
    response.writeHead(status, headers).end(JSON.stringify(body));
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '', method, headers } = request;
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const path = pathname.replace(/^\/wp-json/, '');
    if (hasCompanion && method === 'POST' && path === '/throughline/v1/entries/7/look')
      return send(response, 200, { html: await themed(request) });
    // Source: WP_REST_Autosaves_Controller answers with the saved revision; only the requested fields are sent.
    if (keepsAutosaves && method === 'POST' && path === '/wp/v2/pages/7/autosaves') {
      request.resume();
      return send(response, 200, { id: 70 });
    }
    if (method !== 'GET' || !pathname.startsWith('/wp-json') || !(path in ANSWERS)) {
      return send(response, 404, { code: 'rest_no_route', message: 'No route.' });
    }
    if (headers.authorization !== wanted) {
      // As a careless plugin might.
      const message = `Not signed in with ${headers.authorization}.`;
      return send(response, path === '/wp/v2/users/me' ? 401 : 400, { code: 'incorrect_password', message });
    }
    // The test of a connection reads one of them first.
    if (path === '/wp/v2/posts' && searchParams.get('per_page') !== '1') await held;
    const isAfter = searchParams.has('modified_after');
    return send(response, 200, isAfter && /pages|posts/.test(path) ? [] : ANSWERS[path]);
  };
  const { url, close } = await startLoopback((request, response) => void answer(request, response));
  return {
    url,
    acceptAutosaves() {
      keepsAutosaves = true;
    },
    addCompanion() {
      hasCompanion = true;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    close: () => void close(),
  };
}
