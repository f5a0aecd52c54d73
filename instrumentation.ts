/**
 * Next calls this once when the server starts. Migrates the database and settles unfinished work of a crashed process
 * before the first request.
 */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return;
  const [{ services }, { announceOwnerCode }] = await Promise.all([
    import('#server/services'),
    import('#server/platform/auth/owner-code'),
  ]);
  const { accounts } = await services();
  const code = await accounts?.people.offerOwner();
  if (accounts && code) announceOwnerCode(accounts.origin, code);
}
