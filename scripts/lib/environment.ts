import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { projectPath } from '#scripts/lib/project';
import { type Env, parseEnv } from '#server/env';

/**
 * The checked settings of this process. Reads `.env.local` and `.env` first: what is already in the environment wins,
 * then the first file. Throws InvalidEnvironmentError.
 */
export function readEnvironment(): Env {
  for (const file of ['.env.local', '.env'].map(projectPath)) if (existsSync(file)) loadEnvFile(file);
  process.env['NEXT_TELEMETRY_DISABLED'] = '1';
  return parseEnv(process.env);
}
