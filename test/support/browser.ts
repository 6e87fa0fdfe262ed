import chromium from '@sparticuz/chromium';
import { chromium as playwright, type Browser } from 'playwright-core';

let shared: Promise<Browser> | undefined;

/** The Chromium that npm brought, one for all files of a process, with which it ends. `close` closes its windows. */
export async function openBrowser(): Promise<Browser> {
  shared ??= launch();
  return await shared;
}

async function launch(): Promise<Browser> {
  // Our pages draw nothing in 3D, and a graphics processor in software takes half of the time.
  chromium.setGraphicsMode = false;
  // The sandbox needs a user namespace or a set-uid helper, and containers and root have neither; the pages under test are our own.
  const args = [...chromium.args.filter((a) => a !== '--single-process'), '--no-sandbox'];
  const browser = await playwright.launch({ executablePath: await chromium.executablePath(), args, headless: true });
  const close = async (): Promise<void> => void (await Promise.all(browser.contexts().map((context) => context.close())));
  return Object.assign(browser, { close });
}
