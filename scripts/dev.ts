import { readEnvironment } from '#scripts/lib/environment';
import { exitWithMessage } from '#scripts/lib/exit-with-message';
import { serve } from '#scripts/lib/serve';

try {
  const { PORT, SHUTDOWN_LIMIT_MS } = readEnvironment();
  const url = await serve({ port: PORT, shutdownLimitMs: SHUTDOWN_LIMIT_MS, dev: true });
  console.log(`Throughline serves its sources: ${url}`);
} catch (error) {
  exitWithMessage(error);
}
