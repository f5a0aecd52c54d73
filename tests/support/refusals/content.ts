import { MAX_NAVIGATION_LEVELS } from '#server/core/limits';
import { LETTERS } from '#tests/support/bad-bodies';
import type { RouteRow } from '#tests/support/refusals/route-row';
import {
  ABSENT_ATTACHMENT,
  LARGE_BODY,
  MALFORMED_IDS,
  WRONG_CURSORS,
  WRONG_LIMITS,
  times,
} from '#tests/support/refusals/wrong-values';

const ABSENT_ASSET = 'ast_bcdfgh';

const ABSENT_IMPORT = 'imp_01h0000000000000000000000a';

const ABSENT_COMMENT = 'cmt_01kas8z1c3e5g7j9m1p3r5t7v9';
const ABSENT_LINK = 'lnk_01h0000000000000000000000a';

const entry = (rest: string): Pick<RouteRow, 'path' | 'absent' | 'malformed'> => ({
  path: `/api/content/pages/workshops${rest}`,
  absent: ['constructor', '__proto__', 'nowhere', '%00', "'--", 'x'.repeat(900)]
    .map((ref) => `/api/content/pages/${ref}${rest}`)
    .concat(`/api/content/pictures/workshops${rest}`, `/api/content/posts/workshops${rest}`),
  malformed: [`/api/content/pages/${LETTERS.slice(0, 9_000)}${rest}`],
});

const picture = (rest: string): Pick<RouteRow, 'path' | 'absent' | 'malformed'> => ({
  path: `/api/content/media/${ABSENT_ASSET}${rest}`,
  absent: [`/api/content/media/${ABSENT_ASSET}${rest}`],
  malformed: [...MALFORMED_IDS, ABSENT_ATTACHMENT].map((id) => `/api/content/media/${id}${rest}`),
});

/** What no picture is, and what is none for us. */
const WRONG_PICTURES = ['', 'words', '%PDF-1.7', '<svg xmlns="http://www.w3.org/2000/svg"/>', '\x89PNG\r\n\x1a\n'].map(
  (text) => Buffer.from(text, 'latin1'),
);

const importRun = (rest: string): Pick<RouteRow, 'path' | 'absent' | 'malformed'> => ({
  path: `/api/content/imports/${ABSENT_IMPORT}${rest}`,
  absent: [`/api/content/imports/${ABSENT_IMPORT}${rest}`],
  malformed: MALFORMED_IDS.map((id) => `/api/content/imports/${id}${rest}`),
});

/** What a write cannot be told. */
const WRONG_WRITES = ['dryRun=', 'dryRun=maybe', 'ifRevision=0', 'ifRevision=-1', 'ifRevision=1.5', 'ifRevision=x'];

/** A menu of so many levels, one item on each. */
function menuOf(levels: number): object[] {
  return [{ label: 'X', href: '/', ...(levels > 1 && { children: menuOf(levels - 1) }) }];
}

/** Routes of the site. */
export const CONTENT_REFUSALS: Readonly<Record<string, RouteRow>> = {
  'GET /api/content/[collection]': {
    path: '/api/content/pages',
    absent: ['/api/content/pictures', '/api/content/__proto__', '/api/content/constructor'],
    queries: [
      ...WRONG_LIMITS,
      'limit=101',
      'status=gone',
      'state=gone',
      'sort=size',
      'order=up',
      'select=secret',
      'select=',
      'parent=',
      'text=',
      'search=',
      'author=',
      'updatedFrom=yesterday',
      'updatedBefore=-1',
      'cursor=',
      'cursor=bm9uZQ',
      'tag=',
      `tag=${LETTERS.slice(0, 9_000)}`,
    ],
  },
  'POST /api/content/[collection]': {
    path: '/api/content/pages',
    absent: ['/api/content/pictures', '/api/content/toString'],
    body: { title: 'Words' },
    wrong: [
      { title: undefined },
      ...[7, null, '', '   ', 'a\nb', 'a\u0007b', LETTERS, ['x']].map((title) => ({ title })),
      ...[7, '', 'Not A Slug', '../x', 'home', 'x\u202ey', LETTERS].map((slug) => ({ slug })),
      ...[7, LETTERS].flatMap((text) => [{ excerpt: text }, { author: text }, { image: text }]),
      { image: 'javascript:alert(1)' },
      ...[7, null, '', 'pag_nowhere', LETTERS].map((parent) => ({ parent })),
      ...[7, null, 'x', { title: 7 }, { colour: 'red' }, { image: 'javascript:alert(1)' }].map((seo) => ({ seo })),
      ...['x', [7], [LETTERS], times(100_000, 'x')].map((tags) => ({ tags })),
      ...[
        'x',
        [7],
        [{ type: 'carousel' }],
        [{ type: '__proto__' }],
        [{ type: 'hero', fields: { heading: LETTERS } }],
        [{ type: 'hero', fields: { heading: 7 } }],
        [{ type: 'hero', fields: { heading: 'x', unknown: 'x' } }],
        [{ type: 'hero', fields: { constructor: 'x' } }],
        times(100_000, { type: 'posts-list' }),
      ].map((sections) => ({ sections })),
    ],
  },
  'GET /api/content/[collection]/[ref]': entry(''),
  'PATCH /api/content/[collection]/[ref]': {
    ...entry(''),
    body: { title: 'Words' },
    wrong: [
      { title: undefined },
      ...[7, null, '', LETTERS].map((title) => ({ title })),
      ...[7, '', 'home', LETTERS].map((slug) => ({ slug })),
      ...[0, -1, 1.5, '1', 999].map((ifRevision) => ({ ifRevision })),
      ...[7, [7], [{}], [{ sectionId: null, field: 'title' }], [{ sectionId: '', field: null, value: 1 }]].map(
        (expects) => ({ expects }),
      ),
      { expects: [{ sectionId: null, field: 'title', value: 'Another title' }] },
      ...[7, '', LETTERS].map((joins) => ({ joins })),
      ...[
        7,
        [{ op: 'explode' }],
        [{ op: 'set', field: 'title', value: { x: 1 } }],
        [{ op: 'set', field: 'constructor', value: 'x' }],
        [{ op: 'move-section', sectionId: 'sec_nowhere', index: 0 }],
        [{ op: 'remove-section', sectionId: LETTERS }],
        [{ op: 'insert-section', section: { type: 'hero', fields: { heading: LETTERS } } }],
        times(201, { op: 'unset', field: 'excerpt' }),
        times(20_000, { op: 'unset', field: 'excerpt' }),
      ].map((operations) => ({ operations })),
    ],
  },
  'DELETE /api/content/[collection]/[ref]': { ...entry(''), queries: WRONG_WRITES },
  'POST /api/content/[collection]/[ref]/publish': { ...entry('/publish'), queries: WRONG_WRITES },
  'POST /api/content/[collection]/[ref]/unpublish': { ...entry('/unpublish'), queries: WRONG_WRITES },
  'POST /api/content/[collection]/[ref]/schedule': {
    ...entry('/schedule'),
    queries: WRONG_WRITES,
    body: { publishAt: null },
    wrong: [
      undefined,
      0,
      -1,
      1.5,
      1e300,
      1e15,
      '',
      'soon',
      '2027-01-05',
      '2027-01-05T09:00',
      '2001-01-05T09:00:00Z',
      [],
      {},
    ]
      .map((publishAt): object => ({ publishAt }))
      .concat({ publishAt: null, ifRevision: 0 }, { publishAt: null, at: 1 }),
  },
  'GET /api/content/[collection]/[ref]/preview-links': entry('/preview-links'),
  'POST /api/content/[collection]/[ref]/preview-links': {
    ...entry('/preview-links'),
    body: { days: 7 },
    wrong: [0, -1, 2, 1.5, 31, 1e300, '7', '', null, [], {}]
      .map((days): object => ({ days }))
      .concat({ days: 7, at: 1 }),
  },
  'DELETE /api/content/[collection]/[ref]/preview-links/[link]': {
    ...entry(`/preview-links/${ABSENT_LINK}`),
    absent: [
      `/api/content/pages/nowhere/preview-links/${ABSENT_LINK}`,
      `/api/content/pages/workshops/preview-links/${ABSENT_LINK}`,
    ],
    malformed: MALFORMED_IDS.map((id) => `/api/content/pages/workshops/preview-links/${id}`),
  },
  'POST /api/content/[collection]/[ref]/discard': { ...entry('/discard'), queries: WRONG_WRITES },
  'POST /api/content/[collection]/[ref]/untrash': { ...entry('/untrash'), queries: WRONG_WRITES },
  'GET /api/content/[collection]/[ref]/comments': entry('/comments'),
  'PATCH /api/content/[collection]/[ref]/comments/[comment]': {
    ...entry(`/comments/${ABSENT_COMMENT}`),
    absent: [`/api/content/pages/workshops/comments/${ABSENT_COMMENT}`],
    malformed: MALFORMED_IDS.map((id) => `/api/content/pages/workshops/comments/${id}`),
    body: { resolved: true },
    wrong: [undefined, null, 1, 'yes'].map((resolved) => ({ resolved })),
  },
  'DELETE /api/content/[collection]/[ref]/comments/[comment]': {
    ...entry(`/comments/${ABSENT_COMMENT}`),
    absent: [`/api/content/pages/workshops/comments/${ABSENT_COMMENT}`],
    malformed: MALFORMED_IDS.map((id) => `/api/content/pages/workshops/comments/${id}`),
  },
  'GET /api/content/[collection]/[ref]/differences': {
    ...entry('/differences'),
    queries: ['from=0', 'from=x', 'to=1.5', 'to='],
  },
  'GET /api/content/[collection]/[ref]/versions': entry('/versions'),
  'GET /api/content/[collection]/[ref]/versions/[revision]': {
    ...entry('/versions/1'),
    malformed: ['0', '1.5', 'x', '1e99', '%00'].map((n) => `/api/content/pages/workshops/versions/${n}`),
  },
  'GET /api/content/[collection]/[ref]/revisions': { ...entry('/revisions'), queries: WRONG_LIMITS },
  'POST /api/content/[collection]/[ref]/restore': {
    ...entry('/restore'),
    body: { revision: 1 },
    wrong: [undefined, null, 0, -1, 1.5, '1', 999, 1e300].map((revision) => ({ revision })),
  },
  'GET /api/content/[collection]/[ref]/references': entry('/references'),
  'GET /api/content/[collection]/[ref]/validate': entry('/validate'),
  'GET /api/content/capabilities': { path: '/api/content/capabilities' },
  'GET /api/content/redirects': { path: '/api/content/redirects' },
  'GET /api/content/export': { path: '/api/content/export', queries: ['media=', 'media=yes', 'trashed=0'] },
  'GET /api/sites': { path: '/api/sites' },
  'GET /api/content/imports': { path: '/api/content/imports', queries: ['site=', 'site=wps_1', 'site=../x'] },
  'GET /api/content/site-files': {
    path: '/api/content/site-files',
    queries: ['', 'url=', 'url=kiln.example', 'url=ftp://kiln.example', 'url=https://kiln.example/site', 'check=0'],
  },
  'POST /api/content/imports': {
    path: '/api/content/imports',
    queries: [
      'dryRun=',
      'dryRun=true',
      'site=',
      'site=elsewhere',
      'approve=yes',
      'pictures=2',
      'settings=',
      `filename=${LETTERS.slice(0, 300)}`,
    ],
    wrongBytes: ['', 'Words', '<rss>', '{"format":', 'PK\u0003\u0004', '\u00ff\u00fe<'].map((text) =>
      Buffer.from(text, 'latin1'),
    ),
    bodyLimit: LARGE_BODY,
  },
  'GET /api/content/imports/[id]': importRun(''),
  'POST /api/content/imports/[id]/cancel': importRun('/cancel'),
  'POST /api/content/imports/[id]/undo': importRun('/undo'),
  'GET /api/content/tags': { path: '/api/content/tags' },
  'GET /api/content/authors': { path: '/api/content/authors' },
  'GET /api/content/types': { path: '/api/content/types' },
  'GET /api/content/types/[name]': {
    path: '/api/content/types/faq',
    absent: ['carousel', '__proto__', 'constructor', '%00'].map((name) => `/api/content/types/${name}`),
    malformed: [`/api/content/types/${LETTERS.slice(0, 9_000)}`],
  },
  'GET /api/content/media': {
    path: '/api/content/media',
    queries: [
      ...WRONG_LIMITS,
      'limit=101',
      ...WRONG_CURSORS,
      'missingAlt=',
      'missingAlt=yes',
      'unused=yes',
      'state=gone',
      'tag=',
      'q=',
      `q=${LETTERS.slice(0, 9_000)}`,
    ],
  },
  'GET /api/content/media/uses': { path: '/api/content/media/uses' },
  'POST /api/content/media': {
    path: '/api/content/media',
    wrongBytes: WRONG_PICTURES,
    bodyLimit: 10_000_000,
  },
  'POST /api/content/media/from-address': {
    path: '/api/content/media/from-address',
    body: { url: 'http://127.0.0.1/kiln.png' },
    wrong: [7, null, '', 'kiln.png', 'file:///etc/passwd', 'http://', LETTERS].map((url) => ({ url })),
  },
  'GET /api/content/media/[id]': picture(''),
  'PATCH /api/content/media/[id]': {
    ...picture(''),
    body: { alt: 'Words' },
    wrong: [
      { alt: undefined },
      ...[7, null, 'a\nb', LETTERS, ['x']].map((alt) => ({ alt })),
      ...[7, null, '', '../x', 'a\\b', LETTERS].map((filename) => ({ filename })),
      ...['x', [7], [''], [LETTERS], times(100_000, 'x')].map((tags) => ({ tags })),
    ],
  },
  'DELETE /api/content/media/[id]': picture(''),
  'POST /api/content/media/[id]/replace': {
    path: picture('/replace').path,
    malformed: picture('/replace').malformed ?? [],
    queries: [`filename=${LETTERS.slice(0, 300)}`],
    wrongBytes: WRONG_PICTURES,
    bodyLimit: 10_000_000,
  },
  'POST /api/content/media/[id]/restore': picture('/restore'),
  'GET /api/content/media/[id]/palette': picture('/palette'),
  'GET /api/content/media/[id]/references': picture('/references'),
  'GET /api/content/media/[id]/file': { ...picture('/file'), queries: ['size=huge', 'size='] },
  'GET /api/content/navigation': { path: '/api/content/navigation' },
  'PUT /api/content/navigation': {
    path: '/api/content/navigation',
    body: { items: [{ label: 'Words', href: '/' }] },
    wrong: [
      7,
      undefined,
      [7],
      [{ label: 'X' }],
      [{ label: '', href: '/' }],
      [{ label: LETTERS, href: '/' }],
      [{ label: 'X', href: 'javascript:alert(1)' }],
      [{ label: 'X', href: `/${LETTERS}` }],
      menuOf(MAX_NAVIGATION_LEVELS + 1),
      times(20_000, { label: 'X', href: '/' }),
    ].map((items) => ({ items })),
  },
  'GET /api/content/design': { path: '/api/content/design' },
  'PATCH /api/content/design': {
    path: '/api/content/design',
    body: { palette: { brand: '#4f6f52' } },
    wrong: [
      ...[7, null, 'red', { brand: 'red' }, { ink: '#fafafa', paper: '#ffffff' }, { sky: '#0000ff' }].map(
        (palette) => ({ palette }),
      ),
      ...[7, 'comic-sans', LETTERS].flatMap((value) => [{ fonts: value }, { corners: value }, { appearance: value }]),
      { header: { kind: 'row', isSticky: 'yes' } },
      { logo: { light: 'javascript:alert(1)' } },
      { footer: { columns: times(20_000, { title: '', links: [] }) } },
      { footer: { columns: [{ title: LETTERS, links: [] }] } },
      { footer: { columns: [{ title: '', links: [{ label: 'X', href: 'javascript:alert(1)' }] }] } },
    ],
  },
  'POST /api/content/design/publish': { path: '/api/content/design/publish' },
  'GET /api/content/settings': { path: '/api/content/settings' },
  'PATCH /api/content/settings': {
    path: '/api/content/settings',
    body: { siteName: 'Words' },
    wrong: [
      { siteName: undefined },
      ...[7, '', null, LETTERS].map((siteName) => ({ siteName })),
      ...[7, LETTERS].flatMap((text) => [{ tagline: text }, { footerText: text }, { homeSlug: text }]),
      ...['red', '#12', '#gggggg', LETTERS].map((accentColor) => ({ accentColor })),
      ...['nobody', LETTERS].map((contactEmail) => ({ contactEmail })),
      ...[7, '', 'deutsch!', LETTERS].map((language) => ({ language })),
    ],
  },
  'GET /api/content/planned': {
    path: '/api/content/planned',
    queries: ['limit=0', 'limit=101', 'limit=x', 'cursor=', 'cursor=%00', `cursor=${'x'.repeat(2_000)}`],
  },
  'GET /api/content/at': {
    path: '/api/content/at',
    malformed: ['/api/content/at', '/api/content/at?path=', `/api/content/at?path=/${LETTERS.slice(0, 9_000)}`],
    queries: ['path=pricing', `path=/${'x'.repeat(2_000)}`],
  },
  'POST /api/content/presence': {
    path: '/api/content/presence',
    body: { windowId: '5b0e9c9e-2f0a-4a63-9d2b-3f1f0d2b7a11', entryId: 'pag_nowhere', place: null },
    wrong: [
      ...[undefined, 7, '', LETTERS, '__proto__'].map((windowId) => ({ windowId })),
      ...[undefined, 7, '', 'nowhere', `pag_${LETTERS}`].map((entryId) => ({ entryId })),
      ...[7, {}, { sectionId: null }, { sectionId: '', field: 'x' }, { sectionId: null, field: LETTERS }].map(
        (place) => ({ place }),
      ),
      { leaves: 'yes' },
      { more: 1 },
    ],
  },
  'GET /api/content/trash': {
    path: '/api/content/trash',
    queries: ['kind=pages', 'limit=0', 'limit=101', 'limit=x', 'cursor=', 'cursor=%00', `cursor=${'x'.repeat(2_000)}`],
  },
  'GET /api/content/standing-instructions': { path: '/api/content/standing-instructions' },
  'PUT /api/content/standing-instructions': {
    path: '/api/content/standing-instructions',
    body: { voice: 'Words', rules: ['Words'] },
    wrong: [
      ...[7, null, LETTERS, ['x']].map((voice) => ({ voice })),
      ...['x', ['']].map((rules) => ({ rules })),
      ...[[7], ['a', 'A'], [LETTERS], times(1_000, 'x'), times(20_000, 7)].map((rules) => ({ rules })),
      ...[[{ term: 'x' }], [{ term: '', meaning: 'x' }], [{ term: 'x', meaning: LETTERS }], times(20_000, {})].map(
        (glossary) => ({ glossary }),
      ),
      { ifRevision: 7 },
    ],
  },
  'GET /api/content/changes': {
    path: '/api/content/changes',
    queries: [
      ...WRONG_LIMITS,
      'limit=101',
      'targetType=carousel',
      'actor=nobody',
      'before=',
      'before=x',
      'cursor=x',
      'cursor=chg_bcdfgh&before=chg_bcdfgh',
      ...['cursor', 'before', 'after'].map((name) => `${name}=chg_nonsense`),
      `before=${LETTERS.slice(0, 9_000)}`,
      `targetId=${LETTERS.slice(0, 9_000)}`,
      'sessionId=',
    ],
  },
  'GET /api/content/changes/[id]': {
    path: '/api/content/changes/chg_nowhere',
    absent: ['chg_nowhere', '__proto__', '%00', "'--"].map((id) => `/api/content/changes/${id}`),
    malformed: [`/api/content/changes/${LETTERS.slice(0, 9_000)}`],
  },
  'POST /api/content/bring-back': {
    path: '/api/content/bring-back',
    body: { changeId: 'chg_nowhere', sessionId: 'ses_x' },
    wrong: [
      ...[undefined, 7, '', 'chg_nowhere', LETTERS, '__proto__'].map((changeId) => ({ changeId })),
      ...[undefined, 7, '', LETTERS].map((sessionId) => ({ sessionId })),
      ...[7, '', LETTERS].map((targetId) => ({ targetId })),
      ...[7, '', 'pricing', LETTERS].map((path) => ({ path })),
      { overOthers: 'yes' },
      { dryRun: 'yes' },
      { also: 1 },
    ],
  },
  'POST /api/content/replace': {
    path: '/api/content/replace',
    body: { find: 'kiln', replace: 'oven', entries: [{ id: 'pag_nowhere' }] },
    wrong: [
      ...[undefined, 7, '', LETTERS, 'oven'].map((find) => ({ find })),
      ...[undefined, 7, null, LETTERS].map((replace) => ({ replace })),
      ...['x', [], [7], ['pag_nowhere'], [{}], [{ id: '' }], times(101, { id: 'pag_x' })].map((entries) => ({
        entries,
      })),
      { wholeWords: 'yes' },
      { anyCase: 1 },
    ],
  },
  'POST /api/content/start': {
    path: '/api/content/start',
    body: { kit: 'cafe', siteName: 'Kiln' },
    wrong: [
      ...[undefined, 7, '', 'erase', '__proto__'].map((kit) => ({ kit })),
      ...[7, '', ' ', LETTERS].map((siteName) => ({ siteName })),
      ...[7, '', LETTERS].flatMap((text) => [{ what: text }, { audience: text }, { action: text }]),
      ...[7, LETTERS].map((language) => ({ language })),
      ...[-1, 1.5, '0', 21].map((step) => ({ step })),
      { also: 1 },
    ],
  },
  'POST /api/content/batch': {
    path: '/api/content/batch',
    body: { action: 'publish', ids: ['pag_nowhere'] },
    wrong: [
      ...[undefined, 7, '', 'erase', '__proto__'].map((action) => ({ action })),
      ...[undefined, 7, 'pag_nowhere', [], [7], [''], ['pag_a', 'pag_a'], times(51, 'pag_x')].map((ids) => ({ ids })),
      { add: ['winter'] },
      { action: 'tag' },
      ...['winter', [7], [''], times(21, 'winter'), [LETTERS]].map((add) => ({ action: 'tag', add })),
      { dryRun: true },
    ],
  },
  'POST /api/content/undo': {
    path: '/api/content/undo',
    body: { changeId: 'chg_nowhere' },
    wrong: [
      ...[undefined, 7, '', 'chg_nowhere', LETTERS, '__proto__'].map((changeId) => ({ changeId })),
      { dryRun: 'yes' },
      { all: true },
      ...[false, 'yes', 1].map((all) => ({ changeId: undefined, sessionId: 'ses_x', all })),
      ...['x', [], [7], [''], times(1_001, 'trn_x')].map((turnIds) => ({
        changeId: undefined,
        sessionId: 'ses_x',
        all: true,
        turnIds,
      })),
      { changeId: undefined, sessionId: 'ses_x', turnIds: ['trn_x'] },
    ],
  },
};
