import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { ChatApp, NoSite } from '#components/chat/chat-app';
import { LAYOUT_COOKIE } from '#components/desk/layout-preferences';
import { parseLayout } from '#components/desk/parse-layout';
import { AppProviders } from '#components/shell/app-providers';
import { FirstAnswers } from '#components/shell/first-answers';
import { AllowedOrigins } from '#components/ui/safe-url';
import { pageSite, requirePage, siteChoices } from '#server/http/page-access';
import { services } from '#server/services';
import { firstAnswers } from '#app/(chat)/first-answers';
import '../globals.css';

/**
 * The assistant. It lives in the layout, not in the pages, so that going from the empty desk to a conversation
 * keeps everything that runs; the pages only make the addresses exist.
 */
export default async function ChatLayout({ children }: { readonly children: ReactNode }) {
  await requirePage('chat');
  const siteId = await pageSite();
  const sites = await siteChoices(siteId);
  if (siteId === null)
    return (
      <AppProviders sites={sites}>
        <NoSite />
      </AppProviders>
    );
  const layout = parseLayout((await cookies()).get(LAYOUT_COOKIE)?.value);
  const { env } = await services();
  return (
    <AppProviders sites={sites}>
      <AllowedOrigins value={env.ALLOWED_ORIGINS}>
        <FirstAnswers answers={await firstAnswers()}>
          <ChatApp initialLayout={layout} />
        </FirstAnswers>
        {children}
      </AllowedOrigins>
    </AppProviders>
  );
}
