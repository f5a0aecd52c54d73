import { exitWithMessage, exitWithParent, readEnvironment } from '#scripts/lib/process';
import { projectPath } from '#scripts/lib/project';
import { serve, serveOptionsOf } from '#scripts/lib/serve';
import { openDatabase } from '#server/store/database';

exitWithParent();
try {
  const env = readEnvironment();
  // Migrates here, where a failure stops the start: Next serves on after a failed instrumentation hook.
  const database = await openDatabase({
    url: env.DATABASE_URL,
    authToken: env.DATABASE_AUTH_TOKEN,
    migrationsFolder: projectPath('drizzle'),
  });
  await database.close();
  const url = await serve(serveOptionsOf(env));
  console.log(`Throughline is ready: ${url}`);
} catch (error) {
  exitWithMessage(error);
}
