import { existsSync } from 'node:fs';
import { findProgram } from '#scripts/lib/programs';

/** Where Debian's packages put what a WordPress takes. */
export interface WordPressPrograms {
  readonly php: string;
  readonly mariadbd: string;
  readonly mariadb: string;
  readonly installDatabase: string;
  /** Folder with WordPress itself, to be copied. */
  readonly tree: string;
}

/** Debian's packages of a WordPress that runs on PHP's own web server. */
export const WORDPRESS_PACKAGES = [
  'wordpress',
  'php-cli',
  'php-mysql',
  'php-gd',
  'php-xml',
  'php-curl',
  'php-mbstring',
  'mariadb-server',
];

const TREE = '/usr/share/wordpress';

/** All of them, or undefined where one is missing. */
export function findWordPress(): WordPressPrograms | undefined {
  const php = findProgram(['php']);
  // Not on everybody's PATH.
  const mariadbd = findProgram(['mariadbd']) ?? ['/usr/sbin/mariadbd'].find(existsSync);
  const mariadb = findProgram(['mariadb']);
  const installDatabase = findProgram(['mariadb-install-db']);
  if (!php || !mariadbd || !mariadb || !installDatabase || !existsSync(`${TREE}/wp-load.php`)) return undefined;
  return { php, mariadbd, mariadb, installDatabase, tree: TREE };
}
