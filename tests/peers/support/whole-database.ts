import { changedParts } from '#server/markup/changed-parts';
import type { WordPressServer } from '#tests/peers/support/wordpress-server';

type Row = Readonly<Record<string, string | number | null>>;
/** All rows of a WordPress, by table and key. */
export type DatabaseDump = ReadonlyMap<string, ReadonlyMap<string, Row>>;

type Sql = Pick<WordPressServer, 'sql'>;

/** Reads everything that is in the database. */
export async function dumpDatabase({ sql }: Sql): Promise<DatabaseDump> {
  const columns = await sql(
    "select table_name, column_name from information_schema.columns where table_schema = 'wp' order by table_name, ordinal_position",
  );
  const tables = new Map<string, string[]>();
  for (const line of columns.trim().split('\n')) {
    const [table = '', column = ''] = line.split('\t');
    tables.set(table, [...(tables.get(table) ?? []), column]);
  }
  const queries = [...tables].map(([table, names]) => {
    const fields = names.map((name) => `'${name}', ${name}`).join(', ');
    return `select '${table}', json_object(${fields}) from ${table};`;
  });
  const dump = new Map<string, Map<string, Row>>([...tables.keys()].map((table) => [table, new Map()]));
  for (const line of (await sql(queries.join('\n'))).trim().split('\n')) {
    const at = line.indexOf('\t');
    const table = line.slice(0, at);
    const row = JSON.parse(line.slice(at + 1)) as Row;
    const names = tables.get(table) ?? [];
    // What is taken away and put back gets another number.
    const named = table.endsWith('meta')
      ? names.slice(1, 3)
      : table === 'wp_term_relationships'
        ? names.slice(0, 2)
        : names.slice(0, 1);
    const key = named.map((name) => row[name]).join(' ');
    const rows = dump.get(table) ?? new Map<string, Row>();
    rows.set(rows.has(key) ? `${key} ${rows.size}` : key, row);
  }
  return dump;
}

/**
 * What every write changes, and no undo brings back: times of the last change, revisions (autosaves too), transients,
 * when the application password was used; what WordPress remembers of a taxonomy's tree (`category_children`); the plan of WordPress's own clock and its marks for what that does next; and
 * the date of a draft that has none, which WordPress moves with every write.
 */
const ALWAYS: readonly ((change: RowChange) => boolean)[] = [
  ({ table, column }) => table === 'wp_posts' && column.startsWith('post_modified'),
  // WordPress updates the date of a menu item at every write.
  ({ table, row, column }) => table === 'wp_posts' && row['post_type'] === 'nav_menu_item' && column === 'post_date',
  ({ table, row }) => table === 'wp_posts' && row['post_type'] === 'revision',
  ({ table, row }) =>
    table === 'wp_options' && /^_(?:site_)?transient|^cron$|_children$/.test(String(row['option_name'])),
  ({ table, row }) => table === 'wp_postmeta' && /^_(?:pingme|encloseme)$/.test(String(row['meta_key'])),
  ({ table, row, column }) =>
    table === 'wp_posts' && column === 'post_date' && String(row['post_date_gmt']).startsWith('0000'),
  // The site of a network notes when it was last changed.
  ({ table, column }) => table === 'wp_blogs' && column === 'last_updated',
  ({ table, row }) => table === 'wp_usermeta' && row['meta_key'] === '_application_passwords',
];

interface RowChange {
  readonly table: string;
  readonly row: Row;
  /** Empty: the whole row. */
  readonly column: string;
}

function quoted(value: Row[string] | undefined): string {
  return value === null || value === undefined ? 'null' : typeof value === 'number' ? String(value) : `"${value}"`;
}

/** Text columns, for which the differing words are reported. */
const TEXTS = new Set(['post_content', 'post_title', 'post_excerpt', 'option_value', 'comment_content']);

/** A value; a time of just now is only that. */
function shown(column: string, value: Row[string] | undefined): string {
  const isNow = column.startsWith('post_date') && Math.abs(Date.parse(`${String(value)}Z`) - Date.now()) < 3_600_000;
  return isNow ? 'now' : quoted(value);
}

/** The changed words of a text, each with what it was. */
function changedWords(before: string, after: string): string[] {
  const [from, to] = [before, after].map((text) => text.match(/[\p{L}\p{N}]+|\s+|[^]/gu) ?? []);
  const hunks: string[] = [];
  let [gone, come] = ['', ''];
  const flush = () => {
    if (gone !== '' || come !== '') hunks.push(`"${gone}" > "${come}"`);
    [gone, come] = ['', ''];
  };
  for (const { kind, items } of changedParts(from ?? [], to ?? [])) {
    if (kind === 'removed') gone += items.join('');
    else if (kind === 'added') come += items.join('');
    else flush();
  }
  flush();
  return hunks;
}

function nameOf(table: string, row: Row, dump: DatabaseDump): string {
  const post = (id: unknown) => {
    const found = dump.get('wp_posts')?.get(String(id));
    return found === undefined
      ? `post ${String(id)}`
      : `${found['post_type']} ${found['post_name'] || found['post_title']}`;
  };
  const term = (id: unknown) => String(dump.get('wp_terms')?.get(String(id))?.['name'] ?? `term ${String(id)}`);
  const taxonomy = (id: unknown) => {
    const found = dump.get('wp_term_taxonomy')?.get(String(id));
    return found === undefined ? `term ${String(id)}` : `${found['taxonomy']} ${term(found['term_id'])}`;
  };
  switch (table) {
    case 'wp_posts':
      return post(row['ID']);
    case 'wp_postmeta':
      return `${post(row['post_id'])} meta ${row['meta_key']}`;
    case 'wp_terms':
      return `term ${row['name']}`;
    case 'wp_term_taxonomy':
      return taxonomy(row['term_taxonomy_id']);
    case 'wp_term_relationships':
      return `${post(row['object_id'])} in ${taxonomy(row['term_taxonomy_id'])}`;
    case 'wp_options':
      return `option ${row['option_name']}`;
    case 'wp_commentmeta': {
      const comment = dump.get('wp_comments')?.get(String(row['comment_id']));
      return `comment "${comment?.['comment_content']}" meta ${row['meta_key']}`;
    }
    case 'wp_comments':
      return `comment "${row['comment_content']}"`;
    default:
      return `${table} ${Object.values(row)[0]}`;
  }
}

/** The value of a meta row; that of a time is not told, and a menu item that leads to an address names itself. */
function valueOf(row: Row): string {
  if (!('meta_value' in row)) return '';
  if (row['meta_value'] === String(row['post_id'])) return ': itself';
  return row['meta_key'] === '_wp_trash_meta_time' ? ': a time' : `: ${quoted(row['meta_value'])}`;
}

/**
 * What differs between two dumps, a sentence each: `page about post_content: "lot" > "heap"`, `+ term Clay`,
 * `- page about meta x: "1"`; without what every write changes.
 */
export function differences(before: DatabaseDump, after: DatabaseDump): string[] {
  const found: string[] = [];
  const isListed = (change: RowChange) => !ALWAYS.some((always) => always(change));
  for (const [table, rows] of after) {
    const former = before.get(table) ?? new Map<string, Row>();
    for (const [key, row] of rows) {
      const was = former.get(key);
      const name = () => nameOf(table, was ?? row, was === undefined ? after : before);
      if (was === undefined) {
        const value = valueOf(row);
        if (isListed({ table, row, column: '' })) found.push(`+ ${name()}${value}`);
        continue;
      }
      for (const [column, value] of Object.entries(row)) {
        if (column === 'meta_id' || value === was[column] || !isListed({ table, row, column })) continue;
        const isText = TEXTS.has(column) && typeof value === 'string' && typeof was[column] === 'string';
        const whole = `${shown(column, was[column])} > ${shown(column, value)}`;
        const hunks = isText ? changedWords(String(was[column]), value) : [whole];
        for (const hunk of hunks) found.push(`${name()} ${column}: ${hunk}`);
      }
    }
    for (const [key, row] of former) {
      if (rows.has(key) || !isListed({ table, row, column: '' })) continue;
      found.push(`- ${nameOf(table, row, before)}${valueOf(row)}`);
    }
  }
  return found;
}

/**
 * Differences for a comparison with the expected ones: a difference that matches an expected one with `…` (anything)
 * is replaced by it.
 */
export function asExpected(found: readonly string[], expected: readonly string[]): string[] {
  const patterns = expected.filter((text) => text.includes('…')).map((text) => ({ text, parts: text.split('…') }));
  const fits = (difference: string, parts: readonly string[]) => {
    const [first = '', ...others] = parts;
    if (!difference.startsWith(first)) return false;
    let at = first.length;
    for (const part of others) {
      const next = difference.indexOf(part, at);
      if (next < 0) return false;
      at = next + part.length;
    }
    return difference.endsWith(parts.at(-1) ?? '');
  };
  return found
    .map((difference) => patterns.find(({ parts }) => fits(difference, parts))?.text ?? difference)
    .toSorted();
}
