import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { LocalMode, SignInForm } from '#components/access/sign-in';
import { AccessCard, AccessLink } from '#components/access/access-form';
import { OwnerForm } from '#components/access/owner-form';
import { accessStrings } from '#components/access/words';
import { hostHeadersOf, LOGIN_PATH, safeNext } from '#server/core/addresses';
import { visitor } from '#server/http/page-access';
import { services } from '#server/services';

export const generateMetadata = (): Metadata => ({ title: accessStrings.login.title, robots: { index: false } });

interface PageProps {
  readonly searchParams: Promise<{ readonly next?: string | string[]; readonly error?: string | string[] }>;
}

/** Sign-in page. At the first start, whoever has the code from the log creates the owner here. */
export default async function LoginPage({ searchParams }: PageProps) {
  const { next, error } = await searchParams;
  const to = safeNext(typeof next === 'string' ? next : undefined);
  const { accounts, mailer } = await services();
  if (!accounts) return <LocalMode />;
  // At another name of ours nobody can sign in: a cookie belongs to one.
  const host = (await headers()).get('host')?.toLowerCase() ?? '';
  if (!hostHeadersOf(accounts.origin).includes(host)) return <Elsewhere origin={accounts.origin} />;
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

function Elsewhere({ origin }: { readonly origin: string }) {
  const text = accessStrings.login;
  return (
    <AccessCard title={text.title} body={text.elsewhere}>
      <AccessLink href={`${origin}${LOGIN_PATH}`}>{text.goElsewhere(origin)}</AccessLink>
    </AccessCard>
  );
}
