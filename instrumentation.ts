/** Next calls this once when the server starts: migrate, and settle what a crash left, before the first request. */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return;
  const { services } = await import('#server/services');
  await services();
}
