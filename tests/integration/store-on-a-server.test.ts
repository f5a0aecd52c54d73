import { afterAll, beforeAll, describe, vi } from 'vitest';
import { ON_A_SERVER } from '#tests/support/test-database';

/* What the store promises on an embedded file it promises on a database server, too: the same tests, over HTTP. */

beforeAll(() => void vi.stubEnv(ON_A_SERVER, '1'));
afterAll(() => void vi.unstubAllEnvs());

describe('on a database server', async () => {
  await import('#server/store/session-repository.test');
  await import('#server/store/message-repository.test');
  await import('#server/store/turn-repository.test');
  await import('#server/store/settle-turn.test');
  await import('#server/store/compaction-repository.test');
  await import('#server/store/content-repository.test');
  await import('#server/store/history-search.test');
  await import('#server/store/session-overviews.test');
  await import('#server/store/context-sample-repository.test');
  await import('#server/store/event-repository.test');
  await import('#server/store/settings-repository.test');
  await import('#server/store/model-facts-repository.test');
  await import('#server/store/legacy-messages.test');
});
