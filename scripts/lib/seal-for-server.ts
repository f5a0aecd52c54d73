import { existsSync } from 'node:fs';
import { createMcpServerRepository } from '#server/integrations/mcp-client/mcp-server-repository';
import { createProviderRepository } from '#server/models/store/provider-repository';
import type { Env } from '#server/platform/config/env';
import type { Database } from '#server/platform/database/database';
import { databaseFileOf } from '#server/platform/database/file-connection';
import { createSecretBox } from '#server/platform/database/secret-box';
import { createWordPressSiteRepository } from '#server/wordpress/store/wordpress-site-repository';

/**
 * Encrypts the stored secrets of a copy with AUTH_SECRET, which is the only key of a database on a server.
 * @returns names of secrets that cannot be decrypted
 * @throws Error without AUTH_SECRET, if the copy has a key file
 */
export async function sealForServer(
  copy: Database,
  { AUTH_SECRET, FORMER_AUTH_SECRET }: Pick<Env, 'AUTH_SECRET' | 'FORMER_AUTH_SECRET'>,
): Promise<readonly string[]> {
  if (AUTH_SECRET === undefined) {
    if (existsSync(`${databaseFileOf(copy.url)}.key`))
      throw new Error(
        'Set AUTH_SECRET: on a database server, stored secrets are encrypted with it, not with a key file.',
      );
    return [];
  }
  const box = createSecretBox({ secret: AUTH_SECRET, former: FORMER_AUTH_SECRET, databaseUrl: copy.url });
  return [
    ...(await createProviderRepository(copy, box).sealAll()),
    ...(await createMcpServerRepository(copy, box).sealAll()),
    ...(await createWordPressSiteRepository(copy, box).sealAll()),
  ];
}
