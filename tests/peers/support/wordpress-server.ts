import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findWordPress, type WordPressPrograms } from '#scripts/lib/tests/wordpress-programs';
import { projectPath } from '#scripts/lib/project';
import { type MariaDb, startMariaDb } from '#tests/peers/support/mariadb-server';
import { runInBackground } from '#tests/peers/support/running-program';
import { freePort } from '#tests/support/free-port';

const parts = join(import.meta.dirname, 'wordpress');
const runProgram = promisify(execFile);
const MAX_OUTPUT = 50_000_000;

/** Databases: the one that it works with, and what that was right after the installation. */
const WP = 'wp';
const FRESH = 'fresh';

/** A real WordPress of this test alone. */
export interface WordPressServer extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  /** An administrator. */
  readonly username: string;
  /** An application password, for Basic authentication. */
  readonly password: string;
  /** Makes it what it was right after the installation and filling, uploads included. */
  reset(): Promise<void>;
  /** Runs statements; gives what they select, a row per line and tabs between columns. */
  sql(statements: string): Promise<string>;
  /** Runs code (without `<?php`) inside WordPress without a user; returns its output. */
  php(code: string): Promise<string>;
}

/** Whether all that it takes is installed; `npm run test:peers` installs it where it can. */
export const hasWordPress = findWordPress() !== undefined;

export interface WordPressOptions {
  /** Fills it like a client's site (client-site.php, client-plugin.php); default: a new installation. */
  readonly asClient?: boolean;
  /** Makes it the main site of a network (multisite), whose super administrator is `username`. */
  readonly isMultisite?: boolean;
}

/**
 * Starts one in temporary folders: MariaDB on a socket, PHP's web server on a free loopback port.
 * @throws when a part does not start; nothing is left then
 */
export async function startWordPress({
  asClient = false,
  isMultisite = false,
}: WordPressOptions = {}): Promise<WordPressServer> {
  const programs = findWordPress();
  if (programs === undefined)
    throw new Error('WordPress, PHP or MariaDB is missing: `npm run test:peers` installs it.');
  const ends: (() => Promise<void>)[] = [];
  const end = async () => {
    for (const one of ends.splice(0).toReversed()) await one();
  };
  try {
    const database = await startMariaDb(programs, temporaryFolder(ends), ends);
    const site = await startSite(programs, database, { folder: temporaryFolder(ends), asClient, isMultisite }, ends);
    return { ...site, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

function temporaryFolder(ends: (() => Promise<void>)[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-wp-'));
  ends.push(async () => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  return folder;
}

async function startSite(
  { php: program, tree }: WordPressPrograms,
  database: MariaDb,
  { folder, asClient, isMultisite }: Required<WordPressOptions> & { readonly folder: string },
  ends: (() => Promise<void>)[],
): Promise<Omit<WordPressServer, keyof AsyncDisposable>> {
  const uploads = join(folder, 'wp-content/uploads');
  const freshUploads = join(folder, 'fresh-uploads');
  await copyTree(tree, folder);
  mkdirSync(uploads, { recursive: true });
  await database.sql(
    `create database ${WP}; create user wp@localhost identified by 'wp'; grant all on *.* to wp@localhost`,
  );
  const sql = (statements: string) => database.sql(`use ${WP}; ${statements}`);

  const url = `http://127.0.0.1:${await freePort()}`;
  const env = { ...process.env, PEER_SOCKET: database.socket, PEER_URL: url, PHP_CLI_SERVER_WORKERS: '3' };
  const php = async (args: readonly string[]) =>
    (await runProgram(program, [...args], { cwd: folder, env, maxBuffer: MAX_OUTPUT })).stdout;
  const password = /^password:(.+)$/m.exec(await php(['install.php']))?.[1];
  if (password === undefined) throw new Error('WordPress could not be installed.');
  if (isMultisite) {
    await php(['make-network.php']);
    Object.assign(env, { PEER_MULTISITE: '1' });
  }
  if (asClient) {
    const plugins = join(folder, 'wp-content/mu-plugins');
    mkdirSync(plugins);
    cpSync(join(parts, 'client-plugin.php'), join(plugins, 'client-plugin.php'));
    cpSync(projectPath('examples/wordpress/throughline-companion.php'), join(plugins, 'throughline-companion.php'));
    await php(['client-site.php']);
  }
  cpSync(uploads, freshUploads, { recursive: true });
  const tables = (await sql('show tables')).trim().split('\n');
  const keep = tables.map((table) => `create table ${FRESH}.${table} like ${table}; ${copyRows(table, WP, FRESH)}`);
  await sql(`create database ${FRESH}; ${keep.join('')}`);

  const limits = ['-d', 'upload_max_filesize=64M', '-d', 'post_max_size=64M'];
  const args = [...limits, '-S', new URL(url).host, '-t', folder, join(folder, 'router.php')];
  const server = runInBackground(program, args, { cwd: folder, env });
  ends.push(server.end);
  await server.untilReady(async () => (await fetch(`${url}/wp-json/`)).ok);
  return {
    url,
    username: 'editor',
    password,
    sql,
    async reset() {
      const restore = tables.map((table) => `delete from ${table}; ${copyRows(table, FRESH, WP)}`);
      await sql(`start transaction; ${restore.join('')} commit`);
      rmSync(uploads, { recursive: true, force: true });
      cpSync(freshUploads, uploads, { recursive: true });
    },
    php: (code) => php(['-r', `$_SERVER['HTTP_HOST'] = '${new URL(url).host}'; require 'wp-load.php'; ${code}`]),
  };
}

function copyRows(table: string, from: string, to: string): string {
  return `insert into ${to}.${table} select * from ${from}.${table};`;
}

async function copyTree(tree: string, folder: string): Promise<void> {
  // The package's files are links; some lead nowhere, which ends nothing.
  await runProgram('cp', ['-rL', `${tree}/.`, folder]).catch((error: { stderr?: string }) => {
    const lines = (error.stderr ?? '').trim().split('\n');
    if (!lines.every((line) => line.includes('cannot stat'))) throw error;
  });
  for (const file of ['wp-config.php', 'install.php', 'make-network.php', 'router.php', 'client-site.php'])
    cpSync(join(parts, file), join(folder, file));
  for (const [theme, name] of [
    ['theme', 'peer'],
    ['classic-theme', 'peer-classic'],
  ] as const)
    cpSync(join(parts, theme), join(folder, 'wp-content/themes', name), { recursive: true });
}
