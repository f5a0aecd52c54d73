import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { NewPasswordForm } from '#components/access/new-password';
import { accessStrings } from '#components/access/words';
import { LOGIN_PATH } from '#server/core/addresses';
import { services } from '#server/services';

export const metadata: Metadata = { title: accessStrings.choose.reset, robots: { index: false } };

/** Where invitations, and links for a forgotten password, lead. The secret part of the address never reaches the server. */
export default async function NewPasswordPage() {
  const { accounts } = await services();
  if (!accounts) redirect(LOGIN_PATH);
  return <NewPasswordForm />;
}
