/* Brackets, braces and directives in their other spellings. */
%:include <stdio.h>
%:define RADIUS 3
%:define JOINED(a, b) a%:%:b

enum <% N = 1000 %>;

int main(void)
<%
    static float a<:N:>, b<:N:>;
    for (int i = 0; i < N; ++i) <%
        a<:i:> = i % 17;
        b[i] = -1;
    %>
    %:pragma acc parallel loop copyin(a) copy(b)
    for (int i = RADIUS; i < N - RADIUS; ++i) <%
        float JOINED(to, tal) = 0;
        #pragma acc cache(a<:i - RADIUS:2 * RADIUS + 1:>)
        for (int j = -RADIUS; j <= RADIUS; ++j)
            total += a<:i + j:>;
        b<:i:> = total;
    %>
    printf("%g %g %g\n", b[0], b[500], b[N - RADIUS - 1]);
    return 0;
%>
