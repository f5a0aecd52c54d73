const CHECK_EVERY_MS = 500;

/**
 * Ends this process once the process that started it is gone, if that was npm, or if `EXIT_WITH_PARENT` asks for it.
 * npm does not pass a SIGKILL on, and a server left behind would hold the port and the database.
 */
export function exitWithParent(): void {
  const startedByNpm = ['start', 'quickstart'].includes(process.env['npm_lifecycle_event'] ?? '');
  if (!startedByNpm && !process.env['EXIT_WITH_PARENT']) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
  }, CHECK_EVERY_MS);
  timer.unref();
}
