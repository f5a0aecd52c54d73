import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { projectPath } from '#scripts/lib/project';
import { type Env, parseEnv } from '#server/env';

/** Files and folders are their owner's alone: they hold conversations, hashes of passwords, and secrets. */
const PRIVATE_UMASK = 0o077;

/**
 * The checked settings of this process, and the first thing that each of our commands asks for: from here on, what it
 * and its children write is private. Reads `.env.local` and `.env` first: what is already in the environment wins, then
 * the first file. Throws InvalidEnvironmentError.
 */
export function readEnvironment(): Env {
  process.umask(PRIVATE_UMASK);
  for (const file of ['.env.local', '.env'].map(projectPath)) if (existsSync(file)) loadEnvFile(file);
  process.env['NEXT_TELEMETRY_DISABLED'] = '1';
  return parseEnv(process.env);
}
