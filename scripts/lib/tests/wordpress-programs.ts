import { existsSync } from 'node:fs';
import { findProgram } from '#scripts/lib/tests/programs';

/** Programs and folders from Debian's packages that a WordPress needs. */
export interface WordPressPrograms {
  readonly php: string;
  readonly mariadbd: string;
  readonly mariadb: string;
  readonly installDatabase: string;
  /** Folder with the WordPress sources, to be copied. */
  readonly tree: string;
}

/** Debian packages for a WordPress that runs on PHP's own web server. */
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

/** `WORDPRESS_TREE` sets the folder of another version. */
const TREE = process.env['WORDPRESS_TREE'] ?? '/usr/share/wordpress';

/** All programs, or undefined if one is missing. */
export function findWordPress(): WordPressPrograms | undefined {
  const php = findProgram(['php']);
  const mariadbd = findProgram(['mariadbd']);
  const mariadb = findProgram(['mariadb']);
  const installDatabase = findProgram(['mariadb-install-db']);
  if (!php || !mariadbd || !mariadb || !installDatabase || !existsSync(`${TREE}/wp-load.php`)) return undefined;
  return { php, mariadbd, mariadb, installDatabase, tree: TREE };
}
