import { afterAll, beforeAll, describe, vi } from 'vitest';
import { ON_A_SERVER } from '#tests/support/test-database';

/* What the store promises on an embedded file it promises on a database server, too: the same tests, over HTTP. */

beforeAll(() => void vi.stubEnv(ON_A_SERVER, '1'));
afterAll(() => void vi.unstubAllEnvs());

describe('on a database server', async () => {
  await import('#server/conversation/store/message-repository.test');
  await import('#server/conversation/store/turn-repository.test');
  await import('#server/conversation/store/settle-turn.test');
  await import('#server/conversation/store/compaction-repository.test');
  await import('#server/site/store/content-repository.test');
  await import('#server/conversation/store/search/history-search.test');
  await import('#server/platform/database/write-scope.test');
});
