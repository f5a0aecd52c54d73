import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

/** Folders of the product. */
const FOLDERS = ['app', 'components', 'messages', 'prompts', 'sections', 'server'];

/** A copy of the product below the folder of the project, for tests that change its code. */
export class ProductCopy implements Disposable {
  readonly #folder: string;
  readonly #before: ReadonlyMap<string, string>;

  constructor(name: string) {
    mkdirSync(join(root, '.cache'), { recursive: true });
    this.#folder = mkdtempSync(join(root, '.cache', `${name}-`));
    for (const folder of FOLDERS) cpSync(join(root, folder), this.#at(folder), { recursive: true });
    for (const each of ['node_modules', 'examples']) symlinkSync(join(root, each), this.#at(each));
    cpSync(join(root, 'package.json'), this.#at('package.json'));
    const project = {
      extends: '../../tsconfig.json',
      compilerOptions: { incremental: false, plugins: [] },
      include: FOLDERS.flatMap((folder) => [`${folder}/**/*.ts`, `${folder}/**/*.tsx`]),
      exclude: ['node_modules', 'examples', '**/*.test.ts', '**/*.test.tsx'],
    };
    writeFileSync(this.#at('tsconfig.json'), JSON.stringify(project));
    this.#before = this.#hashes();
  }

  /** Replaces the only occurrence of a text in a file. @throws if it occurs never or several times */
  replace(path: string, text: string, by: string): void {
    const parts = readFileSync(this.#at(path), 'utf8').split(text);
    if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} times: ${text}`);
    this.write(path, parts.join(by));
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.#at(path)), { recursive: true });
    writeFileSync(this.#at(path), text);
  }

  /** Paths of the files that were changed or added, in alphabetical order. */
  changedFiles(): string[] {
    const changed = [...this.#hashes()].filter(([path, hash]) => this.#before.get(path) !== hash);
    return changed.map(([path]) => path).toSorted();
  }

  /** Errors of the type check of the product, one per line. */
  typeErrors(): Promise<string[]> {
    const tsc = join(root, 'node_modules/.bin/tsc');
    return new Promise((resolve) => {
      execFile(
        tsc,
        ['-p', this.#folder, '--pretty', 'false'],
        { cwd: this.#folder, maxBuffer: 64_000_000 },
        (_, stdout) => resolve(stdout.split('\n').filter((line) => line.includes('error TS'))),
      );
    });
  }

  /** A module of the copy. */
  load(path: string): Promise<unknown> {
    return import(this.#at(path));
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #at(path: string): string {
    return join(this.#folder, path);
  }

  /** SHA-256 of the files, by path. */
  #hashes(): Map<string, string> {
    const paths = globSync(`{${FOLDERS.join(',')}}/**/*`, { cwd: this.#folder }).filter((path) =>
      statSync(this.#at(path)).isFile(),
    );
    const hashOf = (path: string) =>
      createHash('sha256')
        .update(readFileSync(this.#at(path)))
        .digest('hex');
    return new Map(paths.map((path) => [path, hashOf(path)]));
  }
}
