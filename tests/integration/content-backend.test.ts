import { EmbeddedSite } from '#server/site/embedded-site/embedded-site';
import { preparePicture } from '#server/site/media/prepare-picture';
import { createContentRepository } from '#server/site/store/content-repository';
import type { ContractSite } from '#tests/support/content-backend/contract';
import { describeContentBackend } from '#tests/support/content-backend-contract';
import { createTestDatabase } from '#tests/support/test-database';

/** Every backend that keeps the contract; a new one is named here. */
const backends: Readonly<Record<string, () => Promise<ContractSite>>> = {
  embedded: async () => {
    const db = await createTestDatabase();
    let time = 1_700_000_000_000;
    const content = new EmbeddedSite(createContentRepository(db), {
      now: () => (time += 1),
      preparePicture,
    });
    return { content, [Symbol.asyncDispose]: () => db.close() };
  },
};

for (const [name, createSite] of Object.entries(backends)) describeContentBackend(name, createSite);
