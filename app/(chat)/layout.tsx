import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { ChatApp } from '#components/chat/chat-app';
import { NoSitePage } from '#components/shell/page-shell';
import { LAYOUT_COOKIE } from '#components/workspace/layout-preferences.ts';
import { parseLayout } from '#components/workspace/parse-layout.ts';
import { AppProviders } from '#components/shell/app-providers';
import { InitialResponses } from '#components/shell/initial-responses';
import { AllowedOrigins } from '#components/ui/safe-url.ts';
import { pageSite, requirePage, siteChoices } from '#server/http/page-access';
import { services } from '#server/services';
import { initialResponses } from '#app/(chat)/initial-responses';
import '../globals.css';

/**
 * The workspace: chat and preview. It is part of the layout and not of the pages, so that it stays mounted, with
 * running answers, when the user opens another conversation. The pages below only define the addresses and render
 * nothing.
 */
export default async function ChatLayout({ children }: { readonly children: ReactNode }) {
  await requirePage('chat');
  const siteId = await pageSite();
  // Read together: on a database server each read is a round trip.
  const [sites, answers] = await Promise.all([siteChoices(siteId), siteId === null ? [] : initialResponses()]);
  if (siteId === null)
    return (
      <AppProviders sites={sites}>
        <NoSitePage />
      </AppProviders>
    );
  const layout = parseLayout((await cookies()).get(LAYOUT_COOKIE)?.value);
  const { env } = await services();
  return (
    <AppProviders sites={sites}>
      <AllowedOrigins value={env.ALLOWED_ORIGINS}>
        <InitialResponses answers={answers}>
          <ChatApp initialLayout={layout} />
        </InitialResponses>
        {children}
      </AllowedOrigins>
    </AppProviders>
  );
}
