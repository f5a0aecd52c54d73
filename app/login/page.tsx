import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { LocalMode, SignInForm } from '#components/access/sign-in';
import { AccessCard, AccessLink } from '#components/access/access-form';
import { OwnerForm } from '#components/access/owner-form';
import { translator } from '#components/i18n.ts';
import { hostHeadersOf } from '#server/core/origins';
import { LOGIN_PATH, safeNext } from '#server/core/sign-in-paths';
import { visitor } from '#server/http/page-access';
import { services } from '#server/services';

const t = translator('access.login');

export const generateMetadata = (): Metadata => ({ title: t('title'), robots: { index: false } });

interface PageProps {
  readonly searchParams: Promise<{ readonly next?: string | string[]; readonly error?: string | string[] }>;
}

/** Sign-in page. At the first start, the person with the code from the log creates the owner here. */
export default async function LoginPage({ searchParams }: PageProps) {
  const { next, error } = await searchParams;
  const to = safeNext(typeof next === 'string' ? next : undefined);
  const { accounts, mailer } = await services();
  if (!accounts) return <LocalMode />;
  // Sign-in works only at the main address because a cookie belongs to one host.
  const host = (await headers()).get('host')?.toLowerCase() ?? '';
  if (!hostHeadersOf(accounts.origin).includes(host)) return <WrongHost origin={accounts.origin} />;
  if (await accounts.people.isEmpty()) return <OwnerForm />;
  if (await visitor()) redirect(to);
  return (
    <SignInForm
      next={to}
      canMail={mailer !== null}
      provider={accounts.oidc?.name ?? null}
      failure={typeof error === 'string' ? error : null}
    />
  );
}

/** Shown at another address than the main one. */
function WrongHost({ origin }: { readonly origin: string }) {
  return (
    <AccessCard title={t('title')} body={t('elsewhere')}>
      <AccessLink href={`${origin}${LOGIN_PATH}`}>
        {t('goElsewhere', { address: origin.replace(/^https?:\/\//, '') })}
      </AccessLink>
    </AccessCard>
  );
}
