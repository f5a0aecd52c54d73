import type { ReactNode } from 'react';
import '#components/content/site.css';
import '#components/content/fonts/all.css';

/** Loads the site's own styles; everything that depends on the address is in the pages. */
export default function ContentLayout({ children }: { readonly children: ReactNode }) {
  return children;
}
