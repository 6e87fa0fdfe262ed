/** An answer of the server after all redirects. */
export interface Visit {
  readonly status: number;
  readonly url: URL;
  readonly headers: Headers;
  readonly text: string;
  /** The addresses that were redirected from, in order. */
  readonly hops: readonly URL[];
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  readonly attributes: string;
}

export interface VisitOptions {
  readonly method?: string;
  readonly body?: URLSearchParams | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly redirects?: 'follow' | 'stop';
}

/** As much of a browser as a sign-in needs: cookies with paths, redirects, and the headers that say where a request comes from. */
export class CookieBrowser {
  readonly #origin: URL;
  readonly #fetch: typeof fetch;
  readonly #cookies = new Map<string, Cookie>();

  /** @param send another one for addresses whose certificates this machine does not trust */
  constructor(origin: string | URL, send: typeof fetch = fetch) {
    this.#origin = new URL(origin);
    this.#fetch = send;
  }

  async visit(path: string | URL, options: VisitOptions = {}): Promise<Visit> {
    let url = new URL(path, this.#origin);
    let { method = 'GET', body } = options;
    const hops: URL[] = [];
    for (let hop = 0; hop < 20; hop++) {
      const answer = await this.#send(url, { headers: options.headers ?? {}, method, ...(body !== undefined && { body }) });
      const location = answer.headers.get('location');
      if (location === null || options.redirects === 'stop') {
        return { status: answer.status, url, headers: answer.headers, text: await answer.text(), hops };
      }
      await answer.body?.cancel();
      hops.push(url);
      url = new URL(location, url);
      if (answer.status !== 307) [method, body] = ['GET', undefined];
    }
    throw new Error(`more than 20 redirects: ${hops.join(' ')}`);
  }

  /** Sends a form the way a page of ours does. */
  submit(path: string | URL, fields: Readonly<Record<string, string>>): Promise<Visit> {
    return this.visit(path, { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** Signs a demo person in, through the pages of the issuer. */
  async signIn(person: string, returnTo = '/'): Promise<Visit> {
    const choice = await this.visit(`/login?return=${encodeURIComponent(returnTo)}`);
    return this.submit(choice.url, { person });
  }

  cookie(name: string): string | undefined {
    return [...this.#cookies.values()].find((cookie) => cookie.name === name)?.value;
  }

  attributesOf(name: string): string {
    return [...this.#cookies.values()].find((cookie) => cookie.name === name)?.attributes ?? '';
  }

  cookieNames(): readonly string[] {
    return [...this.#cookies.values()].map(({ name }) => name).sort();
  }

  setCookie(name: string, value: string, path = '/'): void {
    this.#cookies.set(`${name};${path}`, { name, value, path, attributes: '' });
  }

  forget(name: string): void {
    for (const [key, cookie] of this.#cookies) if (cookie.name === name) this.#cookies.delete(key);
  }

  async #send(url: URL, { method = 'GET', body, headers = {} }: VisitOptions): Promise<Response> {
    const sent = [...this.#cookies.values()]
      .filter(({ path }) => url.pathname.startsWith(path))
      .sort((a, b) => b.path.length - a.path.length);
    const always: Record<string, string> = { accept: 'text/html', cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; ') };
    if (method !== 'GET') Object.assign(always, { 'sec-fetch-site': 'same-origin', origin: url.origin });
    const answer = await this.#fetch(url, {
      method,
      headers: { ...always, ...headers },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    });
    for (const line of answer.headers.getSetCookie()) this.#keep(line);
    return answer;
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = '', ...value] = pair.split('=');
    const attribute = (key: string): string | undefined =>
      attributes.find((text) => text.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1);
    const path = attribute('path') ?? '/';
    const expires = attribute('expires');
    const key = `${name};${path}`;
    if (attribute('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now())) this.#cookies.delete(key);
    else this.#cookies.set(key, { name, value: value.join('='), path, attributes: line });
  }
}
