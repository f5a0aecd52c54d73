import type { Metadata } from 'next';
import { NewPasswordForm } from '#components/access/new-password';
import { LocalMode } from '#components/access/sign-in';
import { accessStrings } from '#components/access/words';
import { services } from '#server/services';

export const metadata: Metadata = { title: accessStrings.choose.reset, robots: { index: false } };

/** Where invitations, and links for a forgotten password, lead. The secret part of the address never reaches the server. */
export default async function NewPasswordPage() {
  const { accounts } = await services();
  return accounts ? <NewPasswordForm /> : <LocalMode />;
}
