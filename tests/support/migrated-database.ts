import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '#server/platform/database/database';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Path of an empty database with the newest schema; copy it, never open it. */
    migratedDatabase: string;
  }
}

/** Migrates one database file for the whole run. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-template-'));
  const path = join(folder, 'template.db');
  const database = await openDatabase({ url: `file:${path}` });
  await database.close();
  project.provide('migratedDatabase', path);
  return () => rmSync(folder, { recursive: true, force: true });
}
