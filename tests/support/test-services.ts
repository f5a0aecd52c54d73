import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { parseEnv } from '#server/platform/config/env';
import { type Overrides, type Services, startServices } from '#server/services';

/** The whole server without HTTP, on a fresh database file; disposing deletes it. */
export async function startTestServices(
  env: Record<string, string> = {},
  overrides: Overrides = {},
): Promise<Services> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-services-'));
  const path = join(folder, 'test.db');
  copyFileSync(inject('migratedDatabase'), path);
  const settings = {
    DATABASE_URL: `file:${path}`,
    LOG_LEVEL: 'silent',
    OFFLINE_CHUNK_DELAY_MS: '0',
    SHUTDOWN_LIMIT_MS: '0',
    TURN_HEARTBEAT_MS: '500',
    ...env,
  };
  const services = await startServices(parseEnv(settings), overrides);
  return {
    ...services,
    async [Symbol.asyncDispose]() {
      await services[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
