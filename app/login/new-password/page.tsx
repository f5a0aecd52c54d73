import type { Metadata } from 'next';
import { NewPasswordForm } from '#components/access/new-password';
import { LocalMode } from '#components/access/sign-in';
import { translator } from '#components/i18n.ts';
import { services } from '#server/services';

const t = translator('access.choose');

export const generateMetadata = (): Metadata => ({ title: t('reset'), robots: { index: false } });

/** Page that invitations and password reset links lead to. The secret part of the address never reaches the server. */
export default async function NewPasswordPage() {
  const { accounts } = await services();
  return accounts ? <NewPasswordForm /> : <LocalMode />;
}
