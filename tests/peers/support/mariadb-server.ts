import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { WordPressPrograms } from '#scripts/lib/tests/wordpress-programs';
import { runInBackground } from '#tests/peers/support/running-program';

const runProgram = promisify(execFile);
const MAX_OUTPUT = 50_000_000;

/** A MariaDB that listens on a socket only. */
export interface MariaDb {
  readonly socket: string;
  /** Runs statements as root; gives what they select, a row per line and tabs between columns. */
  sql(statements: string): Promise<string>;
}

/**
 * Starts one.
 * @param folder empty, short of name (a socket's path has 107 characters); removed by the caller
 * @param ends takes what ends it
 */
export async function startMariaDb(
  programs: WordPressPrograms,
  folder: string,
  ends: (() => Promise<void>)[],
): Promise<MariaDb> {
  // Not the common one: a MariaDB that starts removes every temporary table there, those of one that runs too.
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  // As root it must be another user, who owns the folders.
  const user = process.getuid?.() === 0 ? ['--user=mysql'] : [];
  if (user.length > 0) await runProgram('chown', ['mysql:', folder, temporary]);
  const data = ['--no-defaults', ...user, `--datadir=${join(folder, 'data')}`, `--tmpdir=${temporary}`];
  await runProgram(programs.installDatabase, [...data, '--auth-root-authentication-method=normal', '--skip-test-db']);

  const socket = join(folder, 's.sock');
  // The tests need no durability after a crash of the machine.
  const careless = [
    '--innodb-flush-log-at-trx-commit=0',
    '--innodb-flush-method=nosync',
    '--skip-innodb-doublewrite',
    '--innodb-fast-shutdown=2',
  ];
  const own = [`--socket=${socket}`, `--pid-file=${join(folder, 'pid')}`, '--skip-networking', ...careless];
  const server = runInBackground(programs.mariadbd, [...data, ...own]);
  ends.push(server.end);

  const as = ['--no-defaults', '-uroot', `--socket=${socket}`, '--default-character-set=utf8mb4'];
  const sql = async (statements: string) => {
    const running = runProgram(programs.mariadb, [...as, '--batch', '--raw', '--skip-column-names'], {
      maxBuffer: MAX_OUTPUT,
    });
    running.child.stdin?.on('error', () => undefined).end(statements);
    return (await running).stdout;
  };
  await server.untilReady(async () => (await sql('select 1')) !== '');
  return { socket, sql };
}
