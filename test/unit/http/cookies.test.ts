import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import express from 'express';
import supertest from 'supertest';
import { cookiesOf } from '../../../src/http/cookies.ts';

describe('the session cookie', () => {
  const setBy = async (publicUrl: string): Promise<string> => {
    const app = express().get('/', (_req, res) => {
      cookiesOf(new URL(publicUrl)).setSession(res, 'secret', 60);
      res.end();
    });
    const answer = await supertest(app).get('/');
    return String(answer.headers['set-cookie']);
  };

  it('is bound to its host and to https when the public URL is https', async () => {
    const cookie = await setBy('https://apps.example.com');
    assert.match(cookie, /^__Host-chandlery=secret; Max-Age=60; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/);
    assert.doesNotMatch(cookie, /Domain/);
  });

  it('is called chandlery on the usual port, and carries any other, so that two clones do not sign each other out', async () => {
    assert.match(await setBy('http://localhost:8080'), /^chandlery=secret;/);
    assert.match(await setBy('http://localhost:8081'), /^chandlery-8081=secret;/);
  });
});
