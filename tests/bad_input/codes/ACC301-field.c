struct packed_key {
    unsigned long long key : 40, rest : 24;
};
void f(struct packed_key *keys, int n)
{
#pragma acc parallel loop copy(keys[0:n])
    for (int i = 0; i < n; i++)
        keys[i].key = keys[i].key << 1;
//                    ^~~~ ACC301
}
