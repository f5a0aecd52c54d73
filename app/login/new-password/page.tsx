import type { Metadata } from 'next';
import { NewPasswordForm } from '#components/access/new-password';
import { LocalMode } from '#components/access/sign-in';
import { accessStrings } from '#components/access/words.ts';
import { services } from '#server/services';

export const generateMetadata = (): Metadata => ({ title: accessStrings.choose.reset, robots: { index: false } });

/** Page that invitations and password reset links lead to. The secret part of the address never reaches the server. */
export default async function NewPasswordPage() {
  const { accounts } = await services();
  return accounts ? <NewPasswordForm /> : <LocalMode />;
}
