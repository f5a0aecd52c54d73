import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { ConsentForm } from '#components/access/consent-form';
import { RefusedConsent } from '#components/access/refused-consent';
import { translator } from '#components/i18n.ts';
import { allows } from '#server/core/admin/access-rights';
import { isRefused } from '#server/core/oauth/authorization-request';
import { isDocumentAddress } from '#server/core/oauth/document-address';
import { redirectTarget } from '#server/core/oauth/redirect-uris';
import { pageQuery, requirePage, visitor } from '#server/http/page-access';
import { services } from '#server/services';

const t = translator('access.consent');

export const generateMetadata = (): Metadata => ({ title: t('title'), robots: { index: false } });

/**
 * The page on which a person connects a program to `/mcp`. A refused request does not lead back by itself: anybody may
 * register a program, and its address must not be reached through ours without a click.
 */
export default async function ConsentPage() {
  const { oauth } = await services();
  if (!oauth) notFound();
  await requirePage('content:read');
  const person = await visitor();
  const query = await pageQuery();
  const request = await oauth.readRequest(query);
  if (isRefused(request))
    return (
      <RefusedConsent
        reason={request.error.message}
        back={oauth.refusalAddress(request)}
        target={request.redirectUri === null ? null : redirectTarget(request.redirectUri)}
      />
    );
  oauth.noteOpened(request);
  return (
    <ConsentForm
      query={query}
      client={request.client.name}
      describedAt={isDocumentAddress(request.client.id) ? new URL(request.client.id).host : null}
      redirectUri={request.redirectUri}
      userId={person?.userId ?? ''}
      person={person?.name ?? ''}
      mayDraft={request.scopes.includes('content:draft')}
      offersPublishing={request.mayWrite && person !== null && allows(person.scopes, 'content:write')}
    />
  );
}
