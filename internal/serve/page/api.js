// Questions to the server that this page came from. The token is kept in the session of this tab alone.

const KEPT = "bloom token";

export const token = {
  get: () => sessionStorage.getItem(KEPT) ?? "",
  set: (text) => sessionStorage.setItem(KEPT, text),
  forget: () => sessionStorage.removeItem(KEPT),
};

// Refused is an answer that is an error; its status says which.
export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

// ask is the answer to GET path, or to POST path where there is a body.
export async function ask(path, parameters, body) {
  const query = new URLSearchParams(parameters).toString();
  const headers = {};
  if (token.get()) headers.Authorization = `Bearer ${token.get()}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(`/v1/${path}${query && "?"}${query}`, {
      method: body === undefined ? "GET" : "POST", headers, body: body && JSON.stringify(body), cache: "no-store",
    });
  } catch {
    throw new Refused(0, "the server does not answer");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer.error ?? response.statusText);
  return answer;
}
