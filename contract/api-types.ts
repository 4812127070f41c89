// Generated from the OpenAPI document by `npm run generate`; do not edit.
export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process lives */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Alive"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether requests can be served: the database is really asked */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Ready"];
                    };
                };
                /** @description `unavailable`: Not available at the moment */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Figures for Prometheus */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the first admin is still to be created */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SetupState"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /** Create the first admin with the one-time link, and sign in */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SetupInput"];
                };
            };
            responses: {
                /** @description Default Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CurrentSession"];
                    };
                };
                /** @description `forbidden-origin`: The request came from another site; `insecure-transport`: Sign-in needs TLS */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `setup-done`: The first admin exists already */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `setup-link-invalid`: The set-up link is used or expired */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `misdirected`: This host name is not served here */
                421: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/setup-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make another one-time link, while there is no admin */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SetupLink"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `setup-done`: The first admin exists already */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who is signed in */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CurrentSession"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /** Sign in */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["SignInInput"];
                };
            };
            responses: {
                /** @description Default Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CurrentSession"];
                    };
                };
                /** @description `wrong-credentials`: E-mail or password is wrong */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden-origin`: The request came from another site; `insecure-transport`: Sign-in needs TLS */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `misdirected`: This host name is not served here */
                421: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `too-many-attempts`: Too many attempts */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        /** Sign out */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Places where you are signed in */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SessionList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Sign out one place */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** State of this installation in numbers */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Overview"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List jobs, newest first */
        get: {
            parameters: {
                query?: {
                    status?: "queued" | "running" | "done" | "failed" | "cancelled";
                    type?: string;
                    owner?: string;
                    key?: string;
                    source_task_id?: string;
                    /** @description `next_cursor` of the page before */
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["JobList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /** Submit a job */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description the same request under the same key within 24 hours is answered with what it made */
                    "idempotency-key"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["JobSubmissionInput"];
                };
            };
            responses: {
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Job"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid; `unknown-type`: There is no such job type; `idempotency-key-reused`: The key was used for another request */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One job */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Job"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What happened to a job so far */
        get: {
            parameters: {
                query?: {
                    after?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EventList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/job-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what can be submitted */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["JobTypeList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a job: at once if it waits, soon if it runs */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Job"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `job-ended`: The job has ended */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Submit a job that has ended once more, as a new job */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Job"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `job-not-ended`: The job has not ended yet; `superseded`: A newer event has taken its place; `deduplicated`: Such a job is queued or running */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The log of a job */
        get: {
            parameters: {
                query?: {
                    /** @description leaves so many bytes out */
                    since?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description the log as UTF-8 text */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
                /** @description the log as UTF-8 text */
                206: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/plain": string;
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `range-not-satisfiable`: There is no such part */
                416: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/queue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What runs and what waits, by owner */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["QueueState"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/lanes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lanes, the fullest first */
        get: {
            parameters: {
                query?: {
                    owner?: string;
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["LaneList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/lanes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Set the limit of a lane, pause or resume it */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["LaneChangeInput"];
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Lane"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/admin/api/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Processes that run jobs, those that ended today included */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WorkerList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List schedules, newest first */
        get: {
            parameters: {
                query?: {
                    /** @description `next_cursor` of the page before */
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["ScheduleList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /** Submit a job again and again, by the clock */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewScheduleInput"];
                };
            };
            responses: {
                /** @description Default Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Schedule"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `name-taken`: The name is taken */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid; `unknown-type`: There is no such job type */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/schedules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One schedule */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Schedule"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Delete a schedule; jobs it has submitted stay */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description deleted */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change, pause or resume a schedule
         * @description What is not named stays; a new `job` takes the whole of the old one's place.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["ScheduleChangeInput"];
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Schedule"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `name-taken`: The name is taken */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid; `unknown-type`: There is no such job type */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel or retry jobs, replay deliveries, or re-sync watches: all that a filter names
         * @description An app's bulk action touches what is its own only, an admin's what is anybody's. A delivery with a path that a later one has too is skipped: re-sync its watch.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["BulkRequestInput"];
                };
            };
            responses: {
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Bulk"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bulk/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far a bulk action has got */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Bulk"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/bulk/{id}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a bulk action; what is done stays done
         * @description One that has ended is left as it is.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Bulk"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/secrets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set a secret of your own
         * @description Takes the place of the value it had. It is encrypted, and never shown again. People may set those of an installation of the GitHub App, for the work that its events start.
         */
        put: {
            parameters: {
                query?: {
                    owner?: string;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewSecretInput"];
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Secret"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        post?: never;
        /** Remove a secret */
        delete: {
            parameters: {
                query?: {
                    owner?: string;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description removed */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List secrets by name, newest first */
        get: {
            parameters: {
                query?: {
                    owner?: string;
                    /** @description `next_cursor` of the page before */
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["SecretList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List credentials for remotes, newest first */
        get: {
            parameters: {
                query?: {
                    owner?: string;
                    /** @description `next_cursor` of the page before */
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["CredentialList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Set a credential for the repositories of a host, an owner, or one
         * @description The same address and user name again takes the place of the one before, and keeps its id. It is tried first: if the remote refuses it, the old one stays. Watches that use it are polled at once.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewCredentialInput"];
                };
            };
            responses: {
                /** @description Default Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Credential"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid; `unsafe-address`: The address is not allowed */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `unavailable`: Not available at the moment */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/credentials/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a credential */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description removed */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/encryption-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which keys secrets are encrypted with */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EncryptionKeys"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/encryption-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Encrypt everything with a new key
         * @description New values have the new key at once; the others follow, also after a crash. It is done when one key is left.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["EncryptionKeys"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List assets, newest first */
        get: {
            parameters: {
                query?: {
                    owner?: string;
                    kind?: "artifact" | "generated" | "upload" | "bundle";
                    job?: string;
                    run?: string;
                    step?: string;
                    source_task_id?: string;
                    commit?: string;
                    /** @description a part of the name, in letters of any case */
                    search?: string;
                    /** @description a media type, or its first part: `image` */
                    type?: string;
                    /** @description what the caller said that it is */
                    declared_type?: string;
                    /** @description exactly this */
                    name?: string;
                    sha256?: string;
                    bytes_min?: number;
                    bytes_max?: number;
                    /** @description `next_cursor` of the page before */
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AssetList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Upload a file
         * @description The body is the file itself, with its name in the query; or a form (`multipart/form-data`) with one file.
         */
        post: {
            parameters: {
                query?: {
                    /** @description needed, unless a form names the file */
                    name?: string;
                    /** @description an id of yours, to find the asset by */
                    source_task_id?: string;
                    commit?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            /** @description the file */
            requestBody: {
                content: {
                    "application/octet-stream": unknown;
                    "multipart/form-data": unknown;
                };
            };
            responses: {
                /** @description Default Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Asset"];
                    };
                };
                /** @description `bad-request`: The request could not be read */
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `too-large`: The body is too large */
                413: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `unavailable`: Not available at the moment */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `disk-full`: There is no room for it */
                507: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/assets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One asset */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Asset"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Remove an asset */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description removed */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/assets/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The contents of an asset
         * @description With `Range` (one), `If-Range` and `If-None-Match`.
         */
        get: {
            parameters: {
                query?: {
                    /** @description `true`: to be shown in a frame that can do nothing, where its type allows that */
                    inline?: "true" | "false";
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description the contents, as they were stored */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
                /** @description the contents, as they were stored */
                206: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
                /** @description the store has it at this address, for 5 minutes */
                302: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description as the caller has it */
                304: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `asset-lost`: The contents are lost */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `range-not-satisfiable`: There is no such part */
                416: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `unavailable`: Not available at the moment */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pipelines/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One stored pipeline; your own, unless `owner` is given */
        get: {
            parameters: {
                query?: {
                    owner?: string;
                    /** @description the newest without one */
                    version?: number;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StoredPipeline"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        /** Store a pipeline; another text is another version */
        put: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewPipelineInput"];
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StoredPipeline"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid; `invalid-pipeline`: The pipeline is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        post?: never;
        /** Remove a stored pipeline; its runs stay */
        delete: {
            parameters: {
                query?: {
                    owner?: string;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description removed */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/pipelines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List stored pipelines */
        get: {
            parameters: {
                query?: {
                    owner?: string;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["PipelineList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List runs, newest first */
        get: {
            parameters: {
                query?: {
                    status?: "queued" | "running" | "waiting" | "done" | "failed" | "cancelled";
                    name?: string;
                    source_task_id?: string;
                    /** @description `next_cursor` of the page before */
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RunList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /** Run a pipeline */
        post: {
            parameters: {
                query?: never;
                header?: {
                    /** @description the same request under the same key within 24 hours is answered with what it made */
                    "idempotency-key"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewRunInput"];
                };
            };
            responses: {
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StartedRun"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid; `invalid-pipeline`: The pipeline is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One run with its steps */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RunDetail"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The workspaces of its steps, and what became of them */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RunWorkspaces"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a run */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RunDetail"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `job-ended`: The job has ended; `job-not-ended`: The job has not ended yet; `superseded`: A newer event has taken its place */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `results-gone`: The results of the run are gone */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Go on with a run that has ended; what succeeded is kept */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunRetryInput"];
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RunDetail"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `job-ended`: The job has ended; `job-not-ended`: The job has not ended yet; `superseded`: A newer event has taken its place */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `results-gone`: The results of the run are gone */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answer a step that asks for approval */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["RunApprovalInput"];
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["RunDetail"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `job-ended`: The job has ended; `job-not-ended`: The job has not ended yet; `superseded`: A newer event has taken its place */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `results-gone`: The results of the run are gone */
                410: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/onboard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Onboard an app
         * @description Answers with its token and signing secret, which are never shown again. An address that is private, unknown or not https is refused with the reason.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewAppInput"];
                };
            };
            responses: {
                /** @description Default Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["OnboardedApp"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid; `unsafe-address`: The address is not allowed */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List apps, newest first */
        get: {
            parameters: {
                query?: {
                    /** @description a part of name, e-mail or address */
                    search?: string;
                    /** @description `next_cursor` of the page before */
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AppList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One app, with what is open */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AppDetail"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change, pause or resume an app
         * @description What is not named stays. A new `base_url`, and a resumption, let an address that had failed or was gone begin anew.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AppChangeInput"];
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AppDetail"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid; `unsafe-address`: The address is not allowed */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/apps/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The app whose token this is */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AppDetail"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Test the app's endpoint with a signed message */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AppPing"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{id}/rotate-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give the app another token
         * @description The one before stays valid for a while, so that the app can change to the new.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AppRotationInput"];
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NewAppToken"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{id}/tokens/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a token at once */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    token: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description it counts no more */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{id}/rotate-signing-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign the app's deliveries with another secret
         * @description Until the one before ends, both sign.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["AppRotationInput"];
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["NewSigningSecret"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{id}/signing-secrets/{secret}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a signing secret at once
         * @description Not the last one: rotate it instead.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                    secret: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description it counts no more */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/apps/{id}/deletion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What would go with the app */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["AppDeletion"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/api/apps/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an app and all that is its own
         * @description Its tokens are refused at once, nothing of it starts or is sent any more, what runs is cancelled. The rest is removed when its last attempt has ended. Repositories that others watch stay.
         */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description deleted */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/repositories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List watched repositories, newest first */
        get: {
            parameters: {
                query?: {
                    app?: string;
                    /** @description `pending`: its first sync is still to come */
                    state?: "pending" | "synced" | "failing";
                    /** @description a part of the address */
                    search?: string;
                    /** @description `next_cursor` of the page before */
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WatchList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        /**
         * Watch a repository
         * @description Address, ref and credential are tried at once. The same repository and ref again is the same watch: 200.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewWatchInput"];
                };
            };
            responses: {
                /** @description it was watched already */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Watch"];
                    };
                };
                /** @description Default Response */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Watch"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid; `unsafe-address`: The address is not allowed */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `unavailable`: Not available at the moment */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/repositories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One watched repository */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Watch"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        /** Watch no longer; what was still to be sent is not sent */
        delete: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description removed */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        options?: never;
        head?: never;
        /**
         * Change ref, filters, credential or pace of a watch
         * @description Its app is then told the difference between what it was told and what it should have, deletions included.
         */
        patch: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["WatchChangeInput"];
                };
            };
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Watch"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `name-taken`: The name is taken */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid; `unsafe-address`: The address is not allowed */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `unavailable`: Not available at the moment */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        trace?: never;
    };
    "/api/repositories/{id}/resync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send every file again */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Watch"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/repositories/{id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The files that its app was told of
         * @description As the filters of the watch and `.croftignore` choose them. Asked with the watch's own credential.
         */
        get: {
            parameters: {
                query?: {
                    /** @description what their paths begin with */
                    prefix?: string;
                    /** @description a part of the path, in any case */
                    search?: string;
                    /** @description `next_cursor` of the page before: the same commit goes on, whatever was synced since */
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["WatchFileList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `watch-held`: The watch's credential is refused */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `mirror-elsewhere`: Another host has the files; `unavailable`: Not available at the moment */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/repositories/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The content of one of the files
         * @description With `Range`, `If-Range` and `If-None-Match`. Links are not followed.
         */
        get: {
            parameters: {
                query: {
                    path: string;
                    /** @description as the list says it */
                    path_encoding?: "base64";
                };
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description the content, as it is in git; `x-file-mode` says of what: of a link (`120000`) it is where it leads */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
                /** @description the content, as it is in git; `x-file-mode` says of what: of a link (`120000`) it is where it leads */
                206: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
                /** @description as the caller has it */
                304: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `watch-held`: The watch's credential is refused */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `range-not-satisfiable`: There is no such part */
                416: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `mirror-elsewhere`: Another host has the files; `unavailable`: Not available at the moment */
                503: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List deliveries, newest first */
        get: {
            parameters: {
                query?: {
                    app?: string;
                    watch?: string;
                    state?: "pending" | "sending" | "delivered" | "failed" | "quarantined" | "split" | "cancelled";
                    /** @description `files.changed`, `ping`, … */
                    type?: string;
                    /** @description `next_cursor` of the page before */
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeliveryList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One delivery with its files and tries */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeliveryDetails"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send it once more, now
         * @description What was given up or waits goes on under its own id; what was accepted is sent again under a new one.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["DeliveryDetails"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `delivery-busy`: The delivery cannot be sent again now */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/github": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether events are taken, and how they went */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GithubState"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/github/installations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List installations of the App */
        get: {
            parameters: {
                query?: {
                    /** @description `next_cursor` of the page before */
                    cursor?: number;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GithubInstallationList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/github/installations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One installation with its repositories and last events */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: number;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GithubInstallationDetails"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/github/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List events, newest first */
        get: {
            parameters: {
                query?: {
                    installation?: number;
                    /** @description `pull_request`, `push`, … */
                    event?: string;
                    status?: "pending" | "handled" | "ignored" | "failed";
                    /** @description `next_cursor` of the page before */
                    cursor?: string;
                    limit?: number;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GithubEventList"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/github/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One event with its payload and what it started */
        get: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GithubEventDetails"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/github/events/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Handle it once more
         * @description It starts its work anew, whether it was handled, ignored or given up.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                202: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GithubEventDetails"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `event-pending`: The event has not been handled yet */
                409: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/github/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove the configuration of the GitHub App against GitHub
         * @description Asks GitHub as the App and as each installation: whether the key signs, what is allowed and what is missing, where events go and whether they arrived, and how many requests are left.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Default Response */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["GithubDiagnosis"];
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `forbidden`: Not allowed */
                403: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Follow a job until it has ended */
        get: {
            parameters: {
                query?: never;
                header?: {
                    /** @description goes on after this one */
                    "last-event-id"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description a stream of server-sent events */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description it has ended, and nothing came after `Last-Event-ID` */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `too-many-streams`: Too many open streams */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/runs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Follow a run until it has ended */
        get: {
            parameters: {
                query?: never;
                header?: {
                    /** @description goes on after this one */
                    "last-event-id"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description a stream of server-sent events */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description it has ended, and nothing came after `Last-Event-ID` */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `too-many-streams`: Too many open streams */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow everything you may see
         * @description Begins with `start`, whose `id` is where to come back to if nothing else came; with `reset` if events in between cannot be had
         */
        get: {
            parameters: {
                query?: never;
                header?: {
                    /** @description goes on after this one */
                    "last-event-id"?: string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description a stream of server-sent events */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `too-many-streams`: Too many open streams */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/jobs/{id}/log/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the log of a job until it has ended
         * @description `id` is the number of bytes that have been sent
         */
        get: {
            parameters: {
                query?: never;
                header?: {
                    /** @description goes on after this one */
                    "last-event-id"?: string;
                };
                path: {
                    id: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description a stream of server-sent events */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "text/event-stream": string;
                    };
                };
                /** @description it has ended, and nothing came after `Last-Event-ID` */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                /** @description `unauthenticated`: Sign in, or send a token */
                401: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `not-found`: Not found */
                404: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `invalid-input`: The input is not valid */
                422: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description `too-many-streams`: Too many open streams */
                429: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
                /** @description any other problem */
                default: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/problem+json": components["schemas"]["Problem"];
                    };
                };
            };
        };
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        JobSubmissionInput: {
            /** @description what to do; an unknown type is refused with the known ones */
            type: string;
            /**
             * @description checked by the type
             * @default {}
             */
            input: {
                [key: string]: unknown;
            };
            /** @description jobs with the same key share a lane and its limit */
            key?: string;
            /**
             * @default normal
             * @enum {string}
             */
            priority: "interactive" | "normal" | "background";
            /**
             * Format: date-time
             * @description not before
             */
            run_at?: string;
            /** @description how often it may fail; by default 3 for passing faults, 1 for a command that fails */
            attempts?: number;
            /** @description longest run of one attempt */
            timeout_ms?: number;
            /** @description only one job under this name is queued or running */
            dedupe?: string;
            /** @description an id of yours, to find the job by */
            source_task_id?: string;
            /** @description apps only: `job.finished` is delivered to `base_url` when it has ended */
            notify?: boolean;
        };
        NewAppInput: {
            name: string;
            /** @description without one it only asks, and is told nothing */
            base_url?: string | null;
            /** @description who is asked when something is wrong with it */
            email: string;
            /** @default  */
            description: string;
            /**
             * @description requests to it at a time
             * @default 4
             */
            delivery_slots: number;
        };
        AppChangeInput: {
            name?: string;
            base_url?: string | null;
            email?: string;
            description?: string;
            /** @description requests to it at a time */
            delivery_slots?: number;
            /** @description nothing is sent while it is; `false` takes up an address that had stopped as well */
            paused?: boolean;
        };
        AppRotationInput: {
            /**
             * @description how long the one before stays valid; 0 ends it at once. One before that ends anyway
             * @default 86400000
             */
            old_valid_ms: number;
        };
        NewWatchInput: {
            /**
             * Format: uuid
             * @description whose; apps need not say so, others must
             */
            app?: string;
            /** @description an https or ssh address of a git repository */
            url: string;
            /** @description a branch or tag, or a ref in full; without one, the remote's default branch */
            ref?: string;
            /**
             * Format: uuid
             * @description one of the app's; without it the one that fits the address best, or none
             */
            credential?: string;
            /**
             * @description only these files; none means all
             * @default []
             */
            include: string[];
            /**
             * @description not these
             * @default []
             */
            exclude: string[];
            /** @description how often the remote is asked */
            poll?: number;
        };
        WatchChangeInput: {
            ref?: string | null;
            credential?: string | null;
            include?: string[];
            exclude?: string[];
            poll?: number | null;
        };
        BulkRequestInput: {
            /** @enum {string} */
            action: "cancel" | "retry";
            /** @description which of the jobs that exist now; without a status, those that wait or run are cancelled, and those that failed retried */
            filter: {
                /** @enum {string} */
                status?: "queued" | "running" | "done" | "failed" | "cancelled";
                type?: string;
                owner?: string;
                key?: string;
                source_task_id?: string;
            };
        } | {
            /** @constant */
            action: "replay";
            /** @description which of the deliveries that were given up before now; without a state, those that failed and those that are quarantined */
            filter: {
                /** Format: uuid */
                app?: string;
                /** Format: uuid */
                watch?: string;
                /** @enum {string} */
                state?: "failed" | "quarantined";
            };
        } | {
            /** @constant */
            action: "resync";
            /** @description which of the watches that exist now */
            filter: {
                /** Format: uuid */
                app?: string;
                /**
                 * @description `pending`: its first sync is still to come
                 * @enum {string}
                 */
                state?: "pending" | "synced" | "failing";
                /** @description a part of the address */
                search?: string;
            };
        };
        LaneChangeInput: {
            /** @description null: the default again */
            limit?: number | null;
            paused?: boolean;
        };
        NewSecretInput: {
            /** @description never shown again */
            value: string;
        };
        NewCredentialInput: {
            /**
             * Format: uuid
             * @description for which app; apps need not say so, others have their own
             */
            app?: string;
            /** @enum {string} */
            kind: "token" | "basic" | "ssh-key" | "github-app";
            /** @description the repositories it is for: `https://host`, `https://host/owner` or one repository; `ssh://host/…` for keys */
            url: string;
            /** @description needed with `basic`; tokens have `x-access-token`, keys `git` by default */
            username?: string;
            /** @description token, password or private key; of a `github-app` the id of the installation, which only admins may set; never shown again */
            value: string;
            /**
             * Format: date-time
             * @description from then on it is not used; `credential.expiring` is told a week and a day before
             */
            expires_at?: string;
            /** @description a repository to try it with; without one, what its owner watches by it */
            check_url?: string;
        };
        NewRunInput: {
            /** @description the name of a stored pipeline; or else `text` */
            pipeline?: string;
            /** @description YAML; see docs/pipelines.md */
            text?: string;
            /** @description where the text comes from, for messages */
            file?: string;
            /** @default {} */
            inputs: {
                [key: string]: string | number | boolean;
            };
            /** @description instead of the one that the pipeline names */
            repository?: string;
            /** @description branch, tag or commit; its default branch */
            ref?: string;
            /** @description instead of a repository; only with the token of the machine itself */
            checkout?: {
                /** @description any path in it, on the server's machine */
                path: string;
                /**
                 * @description with what is not committed there
                 * @default false
                 */
                uncommitted: boolean;
                /** @description what its owner ignores everywhere */
                excludes_file?: string;
            };
            /**
             * @default normal
             * @enum {string}
             */
            priority: "interactive" | "normal" | "background";
            /** @description an id of yours, to find the run by, and all its jobs and assets */
            source_task_id?: string;
            /** @description apps only: `run.finished` is delivered to `base_url` whenever it has ended */
            notify?: boolean;
        };
        RunRetryInput: {
            /** @description do this step again, and all that need it */
            from?: string;
        };
        RunApprovalInput: {
            step: string;
            /**
             * @description false refuses it
             * @default true
             */
            approve: boolean;
        };
        NewPipelineInput: {
            /** @description YAML; see docs/pipelines.md */
            text: string;
        };
        NewScheduleInput: {
            /** @description yours, and only once */
            name: string;
            /** @description five fields, or six with seconds */
            cron: string;
            /**
             * @description as in `Europe/Berlin`
             * @default UTC
             */
            time_zone: string;
            /**
             * @description while the last job still waits or runs: skip this time, queue another, or replace the last
             * @default skip
             * @enum {string}
             */
            overlap: "skip" | "queue" | "replace";
            /** @default false */
            paused: boolean;
            job: {
                /** @description what to do; an unknown type is refused with the known ones */
                type: string;
                /**
                 * @description checked by the type
                 * @default {}
                 */
                input: {
                    [key: string]: unknown;
                };
                /** @description jobs with the same key share a lane and its limit */
                key?: string;
                /**
                 * @default normal
                 * @enum {string}
                 */
                priority: "interactive" | "normal" | "background";
                /** @description how often it may fail; by default 3 for passing faults, 1 for a command that fails */
                attempts?: number;
                /** @description longest run of one attempt */
                timeout_ms?: number;
                /** @description an id of yours, to find the job by */
                source_task_id?: string;
                /** @description apps only: `job.finished` is delivered to `base_url` when it has ended */
                notify?: boolean;
            };
        };
        ScheduleChangeInput: {
            name?: string;
            /** @description five fields, or six with seconds */
            cron?: string;
            /** @description as in `Europe/Berlin` */
            time_zone?: string;
            /** @enum {string} */
            overlap?: "skip" | "queue" | "replace";
            paused?: boolean;
            job?: {
                /** @description what to do; an unknown type is refused with the known ones */
                type: string;
                /**
                 * @description checked by the type
                 * @default {}
                 */
                input: {
                    [key: string]: unknown;
                };
                /** @description jobs with the same key share a lane and its limit */
                key?: string;
                /**
                 * @default normal
                 * @enum {string}
                 */
                priority: "interactive" | "normal" | "background";
                /** @description how often it may fail; by default 3 for passing faults, 1 for a command that fails */
                attempts?: number;
                /** @description longest run of one attempt */
                timeout_ms?: number;
                /** @description an id of yours, to find the job by */
                source_task_id?: string;
                /** @description apps only: `job.finished` is delivered to `base_url` when it has ended */
                notify?: boolean;
            };
        };
        SignInInput: {
            email: string;
            password: string;
        };
        SetupInput: {
            /** @description the part of the link after `#` */
            token: string;
            email: string;
            name: string;
            password: string;
        };
        Admin: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string;
            /** @enum {string} */
            role: "admin" | "viewer";
            /** Format: date-time */
            created_at: string;
        };
        JobError: {
            code: string;
            message: string;
            /** @enum {string} */
            class: "transient" | "lost" | "drained" | "timeout" | "command" | "invalid" | "cancelled";
            /** @description what is known about it, by its code; `conflicts`: as in the step's report */
            details?: {
                [key: string]: unknown;
            };
        };
        Job: {
            /** Format: uuid */
            id: string;
            type: string;
            /** @description `app:<id>`, `installation:<id>` or `local` */
            owner: string;
            key: string | null;
            /** @enum {string} */
            status: "queued" | "running" | "done" | "failed" | "cancelled";
            /** @description why a queued job does not run */
            waiting_for: ("lane" | "owner" | "global" | "worker" | "time" | "line") | null;
            /** @description place in its lane's line, from 1; 1,001 stands for anything beyond 1,000 */
            position: number | null;
            /** @enum {string} */
            priority: "interactive" | "normal" | "background";
            /** @description the newest attempt; 0 before the first */
            attempt: number;
            /** @description as asked for */
            attempts: number | null;
            timeout_ms: number | null;
            input: {
                [key: string]: unknown;
            };
            result: unknown | null;
            result_assets: string[];
            error: components["schemas"]["JobError"] | null;
            progress: {
                fraction: number | null;
                note: string | null;
            } | null;
            cancel_requested: boolean;
            dedupe: string | null;
            source_task_id: string | null;
            retry_of: string | null;
            /** @description whether its app is told of its end */
            notify: boolean;
            run_id: string | null;
            step: string | null;
            worker_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            run_at: string;
            started_at: string | null;
            finished_at: string | null;
        };
        ListedJob: {
            /** Format: uuid */
            id: string;
            type: string;
            /** @description `app:<id>`, `installation:<id>` or `local` */
            owner: string;
            key: string | null;
            /** @enum {string} */
            status: "queued" | "running" | "done" | "failed" | "cancelled";
            /** @description why a queued job does not run */
            waiting_for: ("lane" | "owner" | "global" | "worker" | "time" | "line") | null;
            /** @description place in its lane's line, from 1; 1,001 stands for anything beyond 1,000 */
            position: number | null;
            /** @enum {string} */
            priority: "interactive" | "normal" | "background";
            /** @description the newest attempt; 0 before the first */
            attempt: number;
            /** @description as asked for */
            attempts: number | null;
            timeout_ms: number | null;
            /** @description null when it is left out */
            input: {
                [key: string]: unknown;
            } | null;
            /** @description null when there is none, or it is left out */
            result: unknown | null;
            result_assets: string[];
            error: components["schemas"]["JobError"] | null;
            progress: {
                fraction: number | null;
                note: string | null;
            } | null;
            cancel_requested: boolean;
            dedupe: string | null;
            source_task_id: string | null;
            retry_of: string | null;
            /** @description whether its app is told of its end */
            notify: boolean;
            run_id: string | null;
            step: string | null;
            worker_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            run_at: string;
            started_at: string | null;
            finished_at: string | null;
            /** @description left out, because it has more than 8 KiB: `GET /api/jobs/{id}` has it */
            omitted: ("input" | "result")[];
        };
        JobList: {
            /** @description newest first */
            jobs: components["schemas"]["ListedJob"][];
            next_cursor: string | null;
        };
        AppEndpoint: {
            /**
             * @description `closed`: after failures in a row, for a while; `gone`: it answered 410
             * @enum {string}
             */
            state: "open" | "closed" | "gone";
            /** @description in a row */
            failures: number;
            closed_until: string | null;
            gone_at: string | null;
        };
        App: {
            /** Format: uuid */
            id: string;
            name: string;
            base_url: string | null;
            email: string | null;
            description: string;
            paused: boolean;
            delivery_slots: number;
            endpoint: components["schemas"]["AppEndpoint"];
            watches: number;
            /** @description of what its watches found; up to 1,001, which stands for anything beyond 1,000 */
            undelivered: number;
            /** @description when it last asked, to the minute */
            last_seen_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        AppKey: {
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @description when another has taken its place */
            expires_at: string | null;
        };
        AppDetail: {
            /** Format: uuid */
            id: string;
            name: string;
            base_url: string | null;
            email: string | null;
            description: string;
            paused: boolean;
            delivery_slots: number;
            endpoint: components["schemas"]["AppEndpoint"];
            watches: number;
            /** @description of what its watches found; up to 1,001, which stands for anything beyond 1,000 */
            undelivered: number;
            /** @description when it last asked, to the minute */
            last_seen_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description up to 1,001, which stands for anything beyond 1,000 */
            pending_deliveries: number;
            /** @description given up or set aside; up to 1,001 */
            failed_deliveries: number;
            /** @description that wait or run */
            open_jobs: number;
            open_runs: number;
            /** @description valid ones, newest first */
            tokens: components["schemas"]["AppKey"][];
            /** @description valid ones, newest first: all of them sign */
            signing_secrets: components["schemas"]["AppKey"][];
        };
        OnboardedApp: {
            /** Format: uuid */
            id: string;
            name: string;
            base_url: string | null;
            email: string | null;
            description: string;
            paused: boolean;
            delivery_slots: number;
            endpoint: components["schemas"]["AppEndpoint"];
            watches: number;
            /** @description of what its watches found; up to 1,001, which stands for anything beyond 1,000 */
            undelivered: number;
            /** @description when it last asked, to the minute */
            last_seen_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description up to 1,001, which stands for anything beyond 1,000 */
            pending_deliveries: number;
            /** @description given up or set aside; up to 1,001 */
            failed_deliveries: number;
            /** @description that wait or run */
            open_jobs: number;
            open_runs: number;
            /** @description valid ones, newest first */
            tokens: components["schemas"]["AppKey"][];
            /** @description valid ones, newest first: all of them sign */
            signing_secrets: components["schemas"]["AppKey"][];
            /** @description `croft_<id>_<secret>`; never shown again */
            token: string;
            /** @description `whsec_…`; never shown again */
            signing_secret: string;
        };
        NewAppToken: {
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @description when another has taken its place */
            expires_at: string | null;
            /** @description never shown again */
            token: string;
        };
        NewSigningSecret: {
            id: string;
            /** Format: date-time */
            created_at: string;
            /** @description when another has taken its place */
            expires_at: string | null;
            /** @description never shown again */
            signing_secret: string;
        };
        AppList: {
            /** @description newest first */
            apps: components["schemas"]["App"][];
            next_cursor: string | null;
        };
        AppDeletion: {
            name: string;
            watches: number;
            /** @description that nobody else watches: they are forgotten */
            repositories: number;
            /** @description deliveries that it will not get */
            undelivered: number;
            /** @description all of them, those that it got included */
            deliveries: number;
            credentials: number;
            secrets: number;
            /** @description those of its stored pipelines included */
            schedules: number;
            pipelines: number;
            /** @description that are cancelled */
            open_jobs: number;
            ended_jobs: number;
            /** @description that are cancelled */
            open_runs: number;
            ended_runs: number;
            assets: number;
            asset_bytes: number;
        };
        AppPing: {
            /**
             * Format: uuid
             * @description what becomes of it is among the deliveries
             */
            delivery_id: string;
        };
        Asset: {
            /** Format: uuid */
            id: string;
            owner: string;
            /** @enum {string} */
            kind: "artifact" | "generated" | "upload" | "bundle";
            name: string;
            /** @description as which it is served: by its contents, not only as it was declared */
            media_type: string;
            /** @description what the caller said that it is */
            declared_type: string | null;
            bytes: number;
            /** @description of its contents, in hex */
            sha256: string;
            job_id: string | null;
            run_id: string | null;
            step: string | null;
            /** @description of a matrix */
            item: string | null;
            commit: string | null;
            source_task_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description null: as its kind is kept */
            expires_at: string | null;
            /** @description of a run whose step has been done again since, or will be */
            superseded: boolean;
        };
        AssetList: {
            /** @description newest first */
            assets: components["schemas"]["Asset"][];
            next_cursor: string | null;
        };
        Watch: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            app: string;
            url: string;
            /** @description null is the remote's default branch */
            ref: string | null;
            credential: string | null;
            include: string[];
            exclude: string[];
            /** @description seconds; null is what the server was set to */
            poll: number | null;
            /**
             * @description `pending`: its first sync is still to come
             * @enum {string}
             */
            state: "pending" | "synced" | "failing";
            /** @description the commit that its app was told of, or is being told */
            commit: string | null;
            commit_ref: string | null;
            told_at: string | null;
            /** @description when its credential was last seen to work */
            checked_at: string | null;
            /** @description its credential is refused: nothing of it is sent */
            held: boolean;
            error: {
                code: string;
                message: string;
            } | null;
            failed_since: string | null;
            retry_at: string | null;
            /** @description deliveries that are still to be accepted */
            undelivered: number;
            /** Format: date-time */
            created_at: string;
        };
        WatchList: {
            /** @description newest first */
            watches: components["schemas"]["Watch"][];
            next_cursor: string | null;
        };
        WatchFile: {
            path: string;
            /**
             * @description the name is no valid UTF-8: `path` is base64 of its bytes
             * @constant
             */
            path_encoding?: "base64";
            /** @description git's id of the content; of a submodule its commit */
            blob: string;
            /** @description in bytes; 0 for a submodule */
            size: number;
            /**
             * @description file, executable, symbolic link (its content is where it leads) or submodule
             * @enum {string}
             */
            mode: "100644" | "100755" | "120000" | "160000";
        };
        WatchFileList: {
            /** @description whose files they are; null before the first sync */
            commit: string | null;
            /** @description in the order of the bytes of their paths */
            files: components["schemas"]["WatchFile"][];
            next_cursor: string | null;
        };
        Bulk: {
            /** Format: uuid */
            id: string;
            owner: string;
            /** @enum {string} */
            action: "cancel" | "retry" | "replay" | "resync";
            /** @description by the action */
            filter: {
                /** @enum {string} */
                status?: "queued" | "running" | "done" | "failed" | "cancelled";
                type?: string;
                owner?: string;
                key?: string;
                source_task_id?: string;
            } | {
                /** Format: uuid */
                app?: string;
                /** Format: uuid */
                watch?: string;
                /** @enum {string} */
                state?: "failed" | "quarantined";
            } | {
                /** Format: uuid */
                app?: string;
                /**
                 * @description `pending`: its first sync is still to come
                 * @enum {string}
                 */
                state?: "pending" | "synced" | "failing";
                /** @description a part of the address */
                search?: string;
            };
            /** @enum {string} */
            status: "running" | "done" | "aborted";
            /** @description jobs, deliveries or watches to be gone through */
            total: number;
            done: number;
            /** @description when their turn came they had ended, were retried or sent already, or could not be any more */
            skipped: number;
            /** Format: date-time */
            created_at: string;
            finished_at: string | null;
        };
        Delivery: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            app: string;
            watch: string | null;
            /** @description the watched repository */
            url: string | null;
            type: string;
            /** @enum {string} */
            state: "pending" | "sending" | "delivered" | "failed" | "quarantined" | "split" | "cancelled";
            commit: string | null;
            /** @description how many it names */
            files: number;
            first_path: string | null;
            attempt: number;
            /** @description an earlier message about one of its paths goes first */
            waits: boolean;
            /** @description of the last answer */
            status_code: number | null;
            error: {
                code: string;
                message: string;
            } | null;
            /** @description when it is tried next */
            due_at: string | null;
            replay_of: string | null;
            /** Format: date-time */
            created_at: string;
            settled_at: string | null;
        };
        DeliveryAttempt: {
            attempt: number;
            /** @description of a large file */
            chunk: number | null;
            /** Format: date-time */
            at: string;
            duration_ms: number;
            status_code: number | null;
            request: {
                [key: string]: unknown;
            };
            /** @description its first 2 KiB */
            response: {
                [key: string]: unknown;
            } | null;
            error: {
                code: string;
                message: string;
            } | null;
        };
        DeliveryDetails: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            app: string;
            watch: string | null;
            /** @description the watched repository */
            url: string | null;
            type: string;
            /** @enum {string} */
            state: "pending" | "sending" | "delivered" | "failed" | "quarantined" | "split" | "cancelled";
            commit: string | null;
            /** @description how many it names */
            files: number;
            first_path: string | null;
            attempt: number;
            /** @description an earlier message about one of its paths goes first */
            waits: boolean;
            /** @description of the last answer */
            status_code: number | null;
            error: {
                code: string;
                message: string;
            } | null;
            /** @description when it is tried next */
            due_at: string | null;
            replay_of: string | null;
            /** Format: date-time */
            created_at: string;
            settled_at: string | null;
            /** @description others of the same message of its sync: halves, replays; at most 100 */
            parts: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                state: "pending" | "sending" | "delivered" | "failed" | "quarantined" | "split" | "cancelled";
                files: number;
                replay_of: string | null;
            }[];
            /** @description at most 1,000 */
            paths: {
                path: string;
                change: string;
            }[];
            /** @description newest first, the last 50 */
            attempts: components["schemas"]["DeliveryAttempt"][];
        };
        DeliveryList: {
            /** @description newest first */
            deliveries: components["schemas"]["Delivery"][];
            next_cursor: string | null;
        };
        Event: {
            /** Format: uuid */
            subject: string;
            /** @description numbers the events of one subject from 1 */
            seq: number;
            /** @description `job.started`, `worker.ended`, … */
            type: string;
            owner: string;
            data: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            at: string;
        };
        EventList: {
            events: components["schemas"]["Event"][];
        };
        GithubEvent: {
            /** Format: uuid */
            id: string;
            /** @description GitHub's own id: the same when it is sent again */
            delivery_id: string;
            /** @description `pull_request`, `push`, … */
            event: string;
            /** @description `opened`, `created`, … */
            action: string | null;
            installation: number | null;
            /** @description `owner/name` */
            repository: string | null;
            pull_request: number | null;
            sender: string | null;
            /**
             * @description `ignored`: there was nothing to be done
             * @enum {string}
             */
            status: "pending" | "handled" | "ignored" | "failed";
            /** @description how often somebody asked for it once more */
            replay: number;
            /** @description tries in a row that went wrong */
            failures: number;
            error: {
                code: string;
                message: string;
            } | null;
            /** @description when it is tried next */
            due_at: string | null;
            size_bytes: number;
            /** Format: date-time */
            received_at: string;
            settled_at: string | null;
        };
        GithubEffect: {
            /** @description `croft/installation` and `croft/watches` are built in */
            trigger: string;
            replay: number;
            job: string | null;
            run: string | null;
            /** @description why it started nothing */
            problem: string | null;
            /** Format: date-time */
            at: string;
        };
        GithubEventDetails: {
            /** Format: uuid */
            id: string;
            /** @description GitHub's own id: the same when it is sent again */
            delivery_id: string;
            /** @description `pull_request`, `push`, … */
            event: string;
            /** @description `opened`, `created`, … */
            action: string | null;
            installation: number | null;
            /** @description `owner/name` */
            repository: string | null;
            pull_request: number | null;
            sender: string | null;
            /**
             * @description `ignored`: there was nothing to be done
             * @enum {string}
             */
            status: "pending" | "handled" | "ignored" | "failed";
            /** @description how often somebody asked for it once more */
            replay: number;
            /** @description tries in a row that went wrong */
            failures: number;
            error: {
                code: string;
                message: string;
            } | null;
            /** @description when it is tried next */
            due_at: string | null;
            size_bytes: number;
            /** Format: date-time */
            received_at: string;
            settled_at: string | null;
            /** @description what it started, oldest first */
            effects: components["schemas"]["GithubEffect"][];
            payload: {
                [key: string]: unknown;
            };
        };
        GithubEventList: {
            /** @description newest first */
            events: components["schemas"]["GithubEvent"][];
            next_cursor: string | null;
        };
        GithubInstallation: {
            id: number;
            /** @description who has installed the App */
            account: string | null;
            /** @description `User` or `Organization` */
            account_type: string | null;
            /** @description `all` or `selected` repositories */
            selection: string | null;
            /** @description how many are known */
            repositories: number;
            /** @description events that wait */
            pending: number;
            /** @description events that were given up */
            failed: number;
            last_received_at: string | null;
            suspended_at: string | null;
            deleted_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        GithubInstallationDetails: {
            id: number;
            /** @description who has installed the App */
            account: string | null;
            /** @description `User` or `Organization` */
            account_type: string | null;
            /** @description `all` or `selected` repositories */
            selection: string | null;
            /** @description how many are known */
            repositories: number;
            /** @description events that wait */
            pending: number;
            /** @description events that were given up */
            failed: number;
            last_received_at: string | null;
            suspended_at: string | null;
            deleted_at: string | null;
            /** Format: date-time */
            created_at: string;
            permissions: {
                [key: string]: string;
            } | null;
            /** @description that the App gets */
            events: string[] | null;
            /** @description by name, at most 1,000 */
            known_repositories: {
                id: number;
                full_name: string;
                is_private: boolean;
            }[];
            /** @description newest first, the last 20 */
            last_events: components["schemas"]["GithubEvent"][];
            /** @description newest first, the last 20 */
            last_failures: components["schemas"]["GithubEvent"][];
        };
        GithubInstallationList: {
            /** @description by id */
            installations: components["schemas"]["GithubInstallation"][];
            next_cursor: string | null;
        };
        GithubState: {
            /** @description whether there is a webhook secret */
            takes_events: boolean;
            /** @description null: Croft asks GitHub nothing */
            app_id: number | null;
            api_url: string;
            web_url: string;
            /** @description that have not been removed */
            installations: number;
            last_received_at: string | null;
            pending: number;
            failed: number;
            handled_last_day: number;
            ignored_last_day: number;
        };
        GithubCheck: {
            /** @description `app`, `clock`, `permissions`, `events`, `webhook`, `deliveries`, `installation-42` */
            name: string;
            /**
             * @description `warning`: it works, but not all of it
             * @enum {string}
             */
            outcome: "ok" | "warning" | "failed";
            detail: string;
            /** @description what to do, where something is to be done */
            advice: string | null;
        };
        GithubDiagnosis: {
            /** @description false when something failed; warnings are allowed */
            ok: boolean;
            checks: components["schemas"]["GithubCheck"][];
        };
        GithubTrigger: {
            /** @description `push`, or with an action `issues.labeled` */
            events: string[];
            /** @description globs of owner/name; empty: all */
            repositories: string[];
            branches: string[];
            paths: string[];
            paths_ignore: string[];
            labels: string[];
            senders: string[];
            command: string | null;
            /** @description takes the command from people who may not write, too */
            anyone: boolean;
            drafts: boolean;
            ignore_bots: boolean;
            /** @enum {string} */
            forks: "untrusted" | "trusted";
            supersede: boolean;
            priority: ("background" | "normal" | "interactive") | null;
            key: string | null;
        };
        Alive: {
            /** @constant */
            status: "ok";
        };
        Ready: {
            /** @constant */
            status: "ready";
            database_ms: number;
            /**
             * @description `full`: but for what is kept free for the database; no more files are taken
             * @enum {string}
             */
            disk: "ok" | "full";
        };
        JobTypeInfo: {
            name: string;
            description: string | null;
            /** @description JSON Schema (draft 2020-12) of the input as it is submitted; null where this server does not know it */
            input: {
                [key: string]: unknown;
            } | null;
            /**
             * @description `project`: a handler of a `croft.config.ts`, here or at another worker
             * @enum {string}
             */
            source: "built-in" | "project";
        };
        JobTypeList: {
            /** @description by name */
            job_types: components["schemas"]["JobTypeInfo"][];
        };
        Lane: {
            /**
             * Format: uuid
             * @description follows from owner and key
             */
            id: string;
            owner: string;
            /** @description null: the owner's jobs without a key, which have no limit */
            key: string | null;
            limit: number | null;
            has_own_limit: boolean;
            paused: boolean;
            running: number;
            /** @description due and in line */
            queued: number;
            /** Format: date-time */
            used_at: string;
        };
        LaneList: {
            lanes: components["schemas"]["Lane"][];
            next_cursor: string | null;
        };
        QueueState: {
            running: number;
            /** @description null: as many as there are slots */
            limit: number | null;
            /** @description due and in line */
            queued: number;
            /** @description not due yet */
            delayed: number;
            /** @description of all workers that live */
            slots: number;
            /** @description those with work, the busiest first, at most 100 */
            owners: {
                owner: string;
                running: number;
                limit: number;
                queued: number;
                lanes: number;
            }[];
        };
        Overview: {
            version: string;
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            now: string;
            host: string;
            process: {
                pid: number;
                node_version: string;
                rss_bytes: number;
                /** @description delay of the event loop, over the last minute at the most */
                event_loop_p99_ms: number;
            };
            database: {
                /** @enum {string} */
                mode: "embedded" | "external";
                version: string;
                size_bytes: number;
                connections: number;
                round_trip_ms: number;
            };
            disk: {
                path: string;
                free_bytes: number;
                total_bytes: number;
            };
            requests: {
                /** @description answered since the start */
                total: number;
                /** @description of these, answered with 5xx */
                failed: number;
            };
            apps: {
                total: number;
                /** @description whose address fails or is gone */
                stopped: number;
                failing_watches: number;
                /** @description given up; up to 1,001, which stands for anything beyond 1,000 */
                failed_deliveries: number;
                /** @description set aside; up to 1,001 */
                quarantined_deliveries: number;
                /** @description that expire within a week, or have expired */
                expiring_credentials: number;
            };
            admins: number;
            /** @description places where admins are signed in */
            sessions: number;
        };
        Problem: {
            /** @description `urn:croft:problem:` and the code */
            type: string;
            title: string;
            status: number;
            /** @description stable name of the error, listed in docs/errors.md */
            code: string;
            /** @description what went wrong this time, and the way out where there is one */
            detail: string;
            /** @description the same id stands in the server's log */
            request_id: string;
            /** @description one entry for each invalid field */
            errors?: {
                path: string;
                message: string;
            }[];
        };
        Secret: {
            owner: string;
            name: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description to the minute */
            last_used_at: string | null;
        };
        SecretList: {
            /** @description newest first */
            secrets: components["schemas"]["Secret"][];
            next_cursor: string | null;
        };
        Credential: {
            /** Format: uuid */
            id: string;
            owner: string;
            /** @enum {string} */
            kind: "token" | "basic" | "ssh-key" | "github-app";
            /** @description as Croft writes it */
            url: string;
            username: string;
            /**
             * @description what the remote last said to it
             * @enum {string}
             */
            state: "unchecked" | "working" | "refused";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description to the minute */
            last_used_at: string | null;
            checked_at: string | null;
            expires_at: string | null;
        };
        CredentialList: {
            /** @description newest first */
            credentials: components["schemas"]["Credential"][];
            next_cursor: string | null;
        };
        EncryptionKeys: {
            /** @description newest first; one only when no rotation is on its way */
            keys: {
                id: string;
                is_current: boolean;
                /** Format: date-time */
                created_at: string;
                /** @description secrets, credentials and signing secrets that are encrypted with it */
                values: number;
            }[];
            /**
             * @description whether Croft writes the file of keys itself
             * @enum {string}
             */
            file: "managed" | "operator";
        };
        StepIntegration: {
            /** @description in this order */
            integrated: string[];
            conflicts: {
                /** @description of the step, or of the item */
                id: string;
                reason: string;
                files: string[];
                /** @description how many more there are than are listed */
                files_left_out: number;
            }[];
            /** @description those that have made nothing to merge */
            left_out: {
                id: string;
                /** @description `failed` and its like */
                result: string;
            }[];
        };
        RunStep: {
            step: string;
            /** @description of a matrix; null for the step itself */
            item: string | null;
            name: string;
            /** @enum {string} */
            kind: "run" | "uses" | "integrate" | "approval" | "publish" | "comment";
            needs: string[];
            /** @enum {string} */
            status: "pending" | "queued" | "running" | "waiting" | "done" | "failed" | "skipped" | "cancelled";
            /** @description why it was skipped or cancelled */
            reason: string | null;
            job_id: string | null;
            /** @description of a sub-pipeline */
            run_id: string | null;
            /** @description of its job */
            attempt: number | null;
            outputs: {
                [key: string]: unknown;
            };
            commit: string | null;
            branch: string | null;
            /** @description what else it has to say: its workspace, warnings of checks */
            report: {
                [key: string]: unknown;
            } | null;
            /** @description of an integrate step, failed or not */
            integration: components["schemas"]["StepIntegration"] | null;
            /** @description what whoever is asked for an approval is told */
            message: string | null;
            summary: string | null;
            error: components["schemas"]["JobError"] | null;
            matrix: {
                [key: string]: unknown;
            } | null;
            decided_by: string | null;
            /** @description when somebody said yes or no */
            decided_at: string | null;
            deadline_at: string | null;
            started_at: string | null;
            finished_at: string | null;
        };
        Run: {
            /** Format: uuid */
            id: string;
            owner: string;
            name: string;
            number: number;
            /** @enum {string} */
            status: "queued" | "running" | "waiting" | "done" | "failed" | "cancelled";
            /** @description the stored one it is a run of */
            pipeline: {
                /** Format: uuid */
                id: string;
                version: number;
            } | null;
            file: string | null;
            inputs: {
                [key: string]: unknown;
            };
            outputs: {
                [key: string]: unknown;
            } | null;
            repository: string;
            ref: string | null;
            /** @description known when it has started */
            commit: string | null;
            /** @description of its lane */
            key: string | null;
            /** @description 1, and one more with each retry */
            attempt: number;
            parent_id: string | null;
            started_by: string;
            source_task_id: string | null;
            cancel_requested: boolean;
            error: components["schemas"]["JobError"] | null;
            /** Format: date-time */
            created_at: string;
            started_at: string | null;
            finished_at: string | null;
        };
        RunDetail: {
            /** Format: uuid */
            id: string;
            owner: string;
            name: string;
            number: number;
            /** @enum {string} */
            status: "queued" | "running" | "waiting" | "done" | "failed" | "cancelled";
            /** @description the stored one it is a run of */
            pipeline: {
                /** Format: uuid */
                id: string;
                version: number;
            } | null;
            file: string | null;
            inputs: {
                [key: string]: unknown;
            };
            outputs: {
                [key: string]: unknown;
            } | null;
            repository: string;
            ref: string | null;
            /** @description known when it has started */
            commit: string | null;
            /** @description of its lane */
            key: string | null;
            /** @description 1, and one more with each retry */
            attempt: number;
            parent_id: string | null;
            started_by: string;
            source_task_id: string | null;
            cancel_requested: boolean;
            error: components["schemas"]["JobError"] | null;
            /** Format: date-time */
            created_at: string;
            started_at: string | null;
            finished_at: string | null;
            /** @description exactly what ran */
            text: string;
            /** @description in the order of the file; items after their step */
            steps: components["schemas"]["RunStep"][];
        };
        StartedRun: {
            /** Format: uuid */
            id: string;
            owner: string;
            name: string;
            number: number;
            /** @enum {string} */
            status: "queued" | "running" | "waiting" | "done" | "failed" | "cancelled";
            /** @description the stored one it is a run of */
            pipeline: {
                /** Format: uuid */
                id: string;
                version: number;
            } | null;
            file: string | null;
            inputs: {
                [key: string]: unknown;
            };
            outputs: {
                [key: string]: unknown;
            } | null;
            repository: string;
            ref: string | null;
            /** @description known when it has started */
            commit: string | null;
            /** @description of its lane */
            key: string | null;
            /** @description 1, and one more with each retry */
            attempt: number;
            parent_id: string | null;
            started_by: string;
            source_task_id: string | null;
            cancel_requested: boolean;
            error: components["schemas"]["JobError"] | null;
            /** Format: date-time */
            created_at: string;
            started_at: string | null;
            finished_at: string | null;
            /** @description exactly what ran */
            text: string;
            /** @description in the order of the file; items after their step */
            steps: components["schemas"]["RunStep"][];
            /** @description what whoever started it should know */
            warnings: string[];
        };
        RunWorkspace: {
            id: string;
            /** @enum {string} */
            kind: "overlay" | "clone" | "worktree";
            path: string;
            /** @description whose disk it is on: the random name of its data directory */
            host: string;
            step: string;
            item: string | null;
            /** Format: uuid */
            job_id: string;
            /** @description of the job */
            attempt: number;
            /**
             * @description `left`: its attempt is over, and the next sweep of its host removes it
             * @enum {string}
             */
            state: "in-use" | "removing" | "removed" | "left";
            /** Format: date-time */
            created_at: string;
            removed_at: string | null;
        };
        RunWorkspaces: {
            /** @description those that are still there first, then the newest; at most 500 */
            workspaces: components["schemas"]["RunWorkspace"][];
        };
        RunList: {
            /** @description newest first */
            runs: components["schemas"]["Run"][];
            next_cursor: string | null;
        };
        StoredPipeline: {
            /** Format: uuid */
            id: string;
            owner: string;
            name: string;
            version: number;
            text: string;
            /** @description what starts it, as its newest version says */
            on: {
                github: components["schemas"]["GithubTrigger"][];
                schedule: {
                    cron: string;
                    timezone: string;
                    /** @enum {string} */
                    overlap: "skip" | "queue" | "replace";
                }[];
                change?: {
                    paths: string[];
                    paths_ignore: string[];
                    branches: string[];
                };
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        PipelineList: {
            pipelines: {
                /** Format: uuid */
                id: string;
                owner: string;
                name: string;
                version: number;
                /** @description what starts it, as its newest version says */
                on: {
                    github: components["schemas"]["GithubTrigger"][];
                    schedule: {
                        cron: string;
                        timezone: string;
                        /** @enum {string} */
                        overlap: "skip" | "queue" | "replace";
                    }[];
                    change?: {
                        paths: string[];
                        paths_ignore: string[];
                        branches: string[];
                    };
                };
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
            }[];
        };
        Schedule: {
            /** Format: uuid */
            id: string;
            owner: string;
            name: string;
            cron: string;
            time_zone: string;
            /** @enum {string} */
            overlap: "skip" | "queue" | "replace";
            paused: boolean;
            /** @description what it submits; null of a pipeline's */
            job: {
                [key: string]: unknown;
            } | null;
            /** @description the stored pipeline that it starts runs of, and that it belongs to */
            pipeline: string | null;
            /** @description null while it is paused */
            next_at: string | null;
            /** @description when it last started something */
            last_at: string | null;
            last_job_id: string | null;
            last_run_id: string | null;
            /** @description why the last time started nothing */
            last_error: string | null;
            /** Format: date-time */
            created_at: string;
        };
        ScheduleList: {
            /** @description newest first */
            schedules: components["schemas"]["Schedule"][];
            next_cursor: string | null;
        };
        CurrentSession: {
            admin: components["schemas"]["Admin"];
            csrf_token: string;
            /** Format: date-time */
            expires_at: string;
        };
        Session: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            admin_id: string;
            email: string;
            /** @description the session this request was made with */
            current: boolean;
            /** @description where it signed in from */
            address: string;
            user_agent: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_seen_at: string;
            /** Format: date-time */
            expires_at: string;
        };
        SessionList: {
            sessions: components["schemas"]["Session"][];
        };
        SetupState: {
            /** @description true while there is no admin */
            needed: boolean;
        };
        SetupLink: {
            url: string;
            /** Format: date-time */
            expires_at: string;
        };
        Worker: {
            /** Format: uuid */
            id: string;
            host: string;
            pid: number;
            version: string;
            slots: number;
            running: number;
            types: string[];
            /**
             * @description silent: its lease is over, and its jobs are about to go to others
             * @enum {string}
             */
            state: "live" | "draining" | "silent" | "ended";
            end_reason: string | null;
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            lease_until: string;
            ended_at: string | null;
        };
        WorkerList: {
            workers: components["schemas"]["Worker"][];
        };
        /** @description Runs a command in a workspace of its own. */
        "JobInput.command": {
            /** @description the address of a git repository, such as https://example.org/owner/name */
            repository: string;
            /** @description a branch, a tag or a full commit id; the default branch without one */
            ref?: string;
            command: string | string[];
            /** @description variables for the command; no place for secrets, for it is stored and shown */
            environment?: {
                [key: string]: string;
            };
            /** @description whether the command may use the network */
            network?: boolean;
            /**
             * @description how the checkout is made; without one, in the fastest way that this machine has
             * @enum {string}
             */
            workspace?: "overlay" | "clone";
            /** @description a new branch for what it commits */
            branch?: string;
            /** @description only these directories are checked out */
            sparse?: string[];
            /** @description checks them out, too */
            submodules?: boolean;
            /** @description fetches files that are kept with Git LFS */
            lfs?: boolean;
        };
        /** @description A commit as one tar.gz or zip file, the same bytes whenever it is made */
        "JobInput.archive": {
            /** @description the address of a git repository, such as https://example.org/owner/name */
            repository: string;
            /** @description a branch, a tag or a full commit id; the default branch without one */
            ref?: string;
            /**
             * @default tar.gz
             * @enum {string}
             */
            format: "tar.gz" | "zip";
            /** @description the directory that all is in; name and commit without one, none if it is empty */
            prefix?: string;
            /** @description only these files and directories; all without any */
            paths?: string[];
        };
        /** @description A page about a repository: commits over time, authors, hot files, languages, size */
        "JobInput.report": {
            /** @description the address of a git repository, such as https://example.org/owner/name */
            repository: string;
            /** @description a branch, a tag or a full commit id; the default branch without one */
            ref?: string;
            /**
             * Format: date
             * @description the first day of the history that is looked at
             */
            since?: string;
            /** @description the repository's name without one */
            title?: string;
        };
        /** @description A Mermaid or Graphviz diagram, written out or in a repository, as SVG */
        "JobInput.diagram": {
            /** @enum {string} */
            language: "mermaid" | "graphviz";
            /** @description the diagram itself */
            source?: string;
            /** @description the address of a git repository, such as https://example.org/owner/name */
            repository?: string;
            /** @description a branch, a tag or a full commit id; the default branch without one */
            ref?: string;
            /** @description the file of the repository that has it */
            path?: string;
            /**
             * @default light
             * @enum {string}
             */
            theme: "light" | "dark";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
