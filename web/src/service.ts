/** The service that this page came from: `verger serve` marks the page that it serves, and can fetch. */

/** Where it gives the file of a site; null for a page that came from elsewhere, which fetches nothing. */
export const ROUTE =
  document.querySelector<HTMLMetaElement>('meta[name="verger-service"]')?.content ?? null;

/** The robots.txt file of the site of a URL. Fails with the reason that the service gives, or a proxy. */
export async function fileOfSite(route: string, url: string): Promise<Blob> {
  const asked = new URLSearchParams({ url });
  const said = await fetch(`${route}?${asked}`, { headers: { Accept: "text/plain" } });
  if (said.ok) return said.blob();
  const isProblem = said.headers.get("Content-Type")?.startsWith("application/problem+json");
  const why = isProblem ? ((await said.json()) as { detail: string }).detail : said.statusText;
  throw new Error(why || `the answer is ${said.status}`);
}
