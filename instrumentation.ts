/** Next calls this once when the server starts: migrate, and settle what a crash left, before the first request. */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return;
  const { services } = await import('#server/services');
  const { accounts } = await services();
  const code = await accounts?.people.offerOwner();
  if (accounts && code) announceOwnerCode(accounts.origin, code);
}

/** Written whatever the level of the log: without it nobody could come in. */
function announceOwnerCode(origin: string, code: string): void {
  console.log(`Nobody has an account yet. Create the owner at ${origin}/login with this one-time code: ${code}`);
}
