import { ThemeProvider } from 'next-themes';
import { cookies } from 'next/headers';
import type { ReactNode } from 'react';
import { ChatApp } from '#components/chat/chat-app';
import { LAYOUT_COOKIE, parseLayout } from '#lib/layout-preferences';
import '../globals.css';

/**
 * The assistant. It lives in the layout, not in the pages, so that going from the empty desk to a conversation
 * keeps everything that runs; the pages only make the addresses exist.
 */
export default async function ChatLayout({ children }: { readonly children: ReactNode }) {
  const layout = parseLayout((await cookies()).get(LAYOUT_COOKIE)?.value);
  return (
    <ThemeProvider attribute="data-theme" defaultTheme="system" enableSystem disableTransitionOnChange>
      <ChatApp initialLayout={layout} />
      {children}
    </ThemeProvider>
  );
}
