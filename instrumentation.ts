/** Next calls this once when the server starts: migrate, and settle what a crash left, before the first request. */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return;
  const [{ services }, { announceOwnerCode }] = await Promise.all([
    import('#server/services'),
    import('#server/auth/owner-code'),
  ]);
  const { accounts } = await services();
  const code = await accounts?.people.offerOwner();
  if (accounts && code) announceOwnerCode(accounts.origin, code);
}
