--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);

CREATE TABLE public.account (
    id serial primary key not null,
    authority_id varchar(200) not null unique,
    assertion text default '',
    resellerapi boolean default false
);

CREATE TABLE public.keypair (
    id serial primary key not null,
    authority_id varchar(200) not null,
    key_id varchar(200) not null,
    active boolean default true,
    sealed_key text,
    assertion text default '',
    key_name varchar(200) default ''
);

CREATE TABLE public.model (
    id serial primary key not null,
    brand_id varchar(200) not null,
    name varchar(200) not null,
    keypair_id int references keypair not null,
    user_keypair_id int references keypair not null,
    api_key varchar(200) not null
);

CREATE TABLE public.signinglog (
    id serial primary key not null,
    make varchar(200) not null,
    model varchar(200) not null,
    serial_number varchar(200) not null,
    fingerprint varchar(200) not null,
    created timestamp default current_timestamp,
    revision int default 1,
    synced int default 0
);

CREATE TABLE public.substore (
    id serial primary key not null,
    account_id int references account not null,
    from_model_id int references model not null,
    store varchar(200) not null,
    serial_number varchar(200) not null,
    model_name varchar(200) not null
);

CREATE TABLE public.userinfo (
    id serial primary key not null,
    username varchar(200) not null,
    name text
);

INSERT INTO public.account VALUES (1, 'acme-brand', 'type: account
authority-id: test-root
account-id: acme-brand
display-name: Acme-brand
timestamp: 2020-01-01T00:00:00Z
username: acme-brand
validation: unproven
sign-key-sha3-384: P0koYlYb_e1NN9QgbODODEvVwmDxcSARwpXxOGazoOHoL7qRgHE1jNUxS15OqiOY

AcLBUgQAAQoABgUCawCsjAAATgAQALVZ3APLM93Hm2tnSK8V0VrRv5HPsbQrl6A3O/0nlLOXxuIb
9i7/QfuHcahlTiQUx+E3pnJf0TgrWrKEAJvs4DsU3BJOFqfUgqfo881QDA6du/QujjBN+O3ZT7qK
Yc3vYy6nTFXpIhqWvnk3FvsQwxELI9izFKfwjW7Yn7KPf1YfbJMhqWz+H2rgwBEGOtnUJHSZBqGT
l53B3C8UkpBlzds/fLDxaoIajLqSxlKGhY0P+jGQuW4qzSGKRQmRMDnyIn694k/KnfFutmizUKw0
xDbq1hU5p5U6Jky3J+R/sBA3vKu50kabq8IIr+H6CLzce9+i6eh0WFwKH4nnyipW4ecI3Oys/OKT
gLf2/j89gHlrMx1r7C5zDwegUs9AGEupHJuNuI5nG799LoMookr4x5zgainFhoavY+tVI038ML9V
nuxdQb+ul/iz9kiavERui9JCGNHeEfpu5AcjZG7WkG2Bt34qJPr1CavsXjNxPWVCOd92zNMIY5Hw
rAzB/v/izIl9Qbxzs3nUSEuecmE/0mwE/2M0RS+vD1ISW44ZvCHYphqEgW68YLtNol2lPxDMjK4L
5j6sqRlneHk1V4i/dSb1ELQEcPpMOCFBk6X2cXft4Em5xG1AqzqSrv/LZxD6dg15sEKqSijljr/t
yve+ud35Sg/EXpMv7KFgeIiW5qMF
', false);
INSERT INTO public.account VALUES (2, 'other-brand', 'type: account
authority-id: test-root
account-id: other-brand
display-name: Acme-brand
timestamp: 2020-01-01T00:00:00Z
username: acme-brand
validation: unproven
sign-key-sha3-384: AP0koYlYb_e1NN9QgbODODEvVwmDxcSARwpXxOGazoOHoL7qRgHE1jNUxS15OqiO

AcLBUgQAAQoABgUCawCsjAAATgAQALVZ3APLM93Hm2tnSK8V0VrRv5HPsbQrl6A3O/0nlLOXxuIb
9i7/QfuHcahlTiQUx+E3pnJf0TgrWrKEAJvs4DsU3BJOFqfUgqfo881QDA6du/QujjBN+O3ZT7qK
Yc3vYy6nTFXpIhqWvnk3FvsQwxELI9izFKfwjW7Yn7KPf1YfbJMhqWz+H2rgwBEGOtnUJHSZBqGT
l53B3C8UkpBlzds/fLDxaoIajLqSxlKGhY0P+jGQuW4qzSGKRQmRMDnyIn694k/KnfFutmizUKw0
xDbq1hU5p5U6Jky3J+R/sBA3vKu50kabq8IIr+H6CLzce9+i6eh0WFwKH4nnyipW4ecI3Oys/OKT
gLf2/j89gHlrMx1r7C5zDwegUs9AGEupHJuNuI5nG799LoMookr4x5zgainFhoavY+tVI038ML9V
nuxdQb+ul/iz9kiavERui9JCGNHeEfpu5AcjZG7WkG2Bt34qJPr1CavsXjNxPWVCOd92zNMIY5Hw
rAzB/v/izIl9Qbxzs3nUSEuecmE/0mwE/2M0RS+vD1ISW44ZvCHYphqEgW68YLtNol2lPxDMjK4L
5j6sqRlneHk1V4i/dSb1ELQEcPpMOCFBk6X2cXft4Em5xG1AqzqSrv/LZxD6dg15sEKqSijljr/t
yve+ud35Sg/EXpMv7KFgeIiW5qMF
', false);
INSERT INTO public.account VALUES (3, 'empty-brand', '', true);


INSERT INTO public.keypair VALUES (1, 'acme-brand', 'Zb7cWdrYyp4seYx_Qku2PFgkPMLY5bU1EgakZjTxRsE0FP00VzlYW1XPqX-jgMFN', true, 'c2VhbGVkIGtleSBvZiBub2JvZHk=', 'type: account-key
authority-id: test-root
public-key-sha3-384: Zb7cWdrYyp4seYx_Qku2PFgkPMLY5bU1EgakZjTxRsE0FP00VzlYW1XPqX-jgMFN
account-id: acme-brand
name: serial
since: 2020-01-01T00:00:00Z
body-length: 717
sign-key-sha3-384: P0koYlYb_e1NN9QgbODODEvVwmDxcSARwpXxOGazoOHoL7qRgHE1jNUxS15OqiOY

AcbBTQRWhcGAARAA1lc1xytI+DwWOO2gD3p7psN1WizLRx4x8UhO/f1ZbQlq751h/WSIb3VLjqfB
E+xOKKkavqhoqH3TbuWtjlWLdUal1kMkgHypcIXrj6nXBdvhf5ntXDgJWtosUlyJBsu3INgo0r6K
yEwhzIkb94X3g70+JtKIKiyi9pZy+l6cl32r1OL+1s1BHCXREUdAPYFzCDQ61ODr+nP4LkoSSEam
v5zBmgzTBwQyKNFid6MrVdfsMJEx67e+wWXAmCVR1tBZ4h/LCClrHMry1wM6T75gfSjuPqeHl88h
aIJF3Ks866s55X1RpRVQ37tbo+wkLWJYWjfzxBlcc4SFbBCRfrNpbzHBikwXIjJV+DLX3rcLnfRE
0am95WFaLgDonN/EIokMloDKik0Fnqm8+2inA9FBbcYz9gODq8HQGNWRFRsP7mnKVV4X2uayDEe5
iX5exNdFr8otoNBOhLGrNb++SYU6wQ2wTcPJlrTd0EMH44dyApu+Ap3o49d2hI9J0csK/cY0q0vJ
MkCwvXBgKDM5Fe7USuG9CgCxe5SRYu6nkRq6iH3bGyLlr8rdTmftzDBPyINRKTKQPTCtRRPLQWPd
Y7YlomOLqv6yfodlQk2WuqnTdIOYa/oOPIUC3EgHusKjH6ShE+XrPw+efrgKQF6GigxzOJ/d/j2r
j7e3dMrI8sC+7JkAEQEAAQ==

AcLBUgQAAQoABgUCawCsjAAART4QAC15eKCL/DgfjFzyRgMTHAkzftiI1Yfse3qBzZvsmabE1p1P
FUZDf7256hluytkIXnTIKRNRkeHiGdIkdFfWNwmM70tCeFFQD3gjX+oXErMYG66dzYNzF65zr2dj
WJR9KcYgIoK26RfCN8U36suc2Q9WlPcR9LlNiewlh/sEA+xiwUIfsB/LuPFfUm5MU2P/eQdT7Rme
h92LCB7Gd7S8nPpsUUOfdCzGXutGM2UR9245/VkAaCWOJai8lyktO6aInM39m8wDZi8zpiU7quOO
Aw+upd+hSXUgRZNQRuuuY3OYpKZcu/Z78NN/irxeQ65THXnIAuFZyi7ao/DqySgPg+/ozqdzUEue
v8l69MHQ1vEz/+H0p/mC5GQOrAGnrLciIk60eeIw3kwC+XOm4OkUD6dmNc08RGfWR8j5PcqOXO4v
5qNKidQPYqNlY3YMCbACkV8o9bsPL+HQt0XyUXFPjkt0dMSYy0slrSK8FZwR5zwgQejHHCA2eVDp
WfIoh3JzxQhma/h4sqhL2zeNpxGe0pEST0qacxcd3XgLUFFkuU1qzoygXfp0nF0WIOHHo+WpTTsc
yjsG4gAA5lez7V1StEup03tphQanYF+Bg93s1/BsrdxUdGcx5sDLKAN5ozG85mAGZCOzTRCsWmHF
pfrOM2ogQGBW5HeZyW6Qn76Un+XB
', 'serials');
INSERT INTO public.keypair VALUES (2, 'acme-brand', 'N_ucQ48qWkbPTEoEh4nHb04-JyIgGgsGWpRXEVvN-pAqE--pvhD9lToA2F6LTyTK', false, NULL, '', 'older');


INSERT INTO public.model VALUES (1, 'acme-brand', 'acme-classic', 1, 1, 'synthetic-api-key-0001');
INSERT INTO public.model VALUES (2, 'acme-brand', 'acme-gadget', 2, 1, 'synthetic-api-key-0001');


INSERT INTO public.signinglog VALUES (1, 'acme-brand', 'acme-classic', 'A-0001', 'tOXobo_6Ivx625fJekv-axrwYlXZ3I7DwVop_fK41-UEJat1cpRAbixW6xA97BHm', '2018-03-01 10:00:00.123456', 1, 0);
INSERT INTO public.signinglog VALUES (2, 'acme-brand', 'acme-classic', 'A-0002', 'TswS_ObKUz2FY02FFp3PkQI5di7HCY0Z-TGZbLfc3La7g8yXYKRFPI8JNAlTHXbT', '2018-03-01 10:01:00', 1, 0);
INSERT INTO public.signinglog VALUES (3, 'acme-brand', 'acme-classic', 'A-0002', 'AgpsZl96SFR85qvKdIvbkOWc_9zrzZE6ZW6pureygn-kuecm6LUk5F480DIKmxma', '2018-03-02 10:02:00', 2, 0);
INSERT INTO public.signinglog VALUES (4, 'acme-brand', 'acme-classic', 'A-0003', 'tGVLm09yunqTLY5vSZF1XW2rn-gwoy33oFcaTrvPIV_ogZ5-u_Z56wHiHdYOUnWF', '2018-03-01 10:03:00', 1, 0);
INSERT INTO public.signinglog VALUES (5, 'acme-brand', 'acme-classic', 'A-0004', 'tGVLm09yunqTLY5vSZF1XW2rn-gwoy33oFcaTrvPIV_ogZ5-u_Z56wHiHdYOUnWF', '2018-03-05 10:04:00', 1, 0);
INSERT INTO public.signinglog VALUES (6, 'acme-brand', 'acme-classic', 'A-0005', 'c5ztEj8ohdH85xv0kCimbrkaYXIKaKr2l9cxyvnqvON9JPzPfGGgBYQwSycD18cY', '2018-03-01 10:05:00', 1, 0);
INSERT INTO public.signinglog VALUES (7, 'acme-brand', 'acme-classic', 'A-0005', 'c5ztEj8ohdH85xv0kCimbrkaYXIKaKr2l9cxyvnqvON9JPzPfGGgBYQwSycD18cY', '2018-04-01 10:05:00', 2, 1);
INSERT INTO public.signinglog VALUES (8, 'acme-brand', 'acme-classic', 'it''s; A\6', 'LOO6P7NSdbFexYscjt2RNZsedFp-PWHvWbfJ0lvgS1qfUekGzRadyoH3D-Zz3AEh', '2018-03-01 10:06:00', 1, 0);
INSERT INTO public.signinglog VALUES (9, 'acme-brand', 'acme-classic', 'A-0007', 'old fingerprint', '2018-03-01 10:07:00', 1, 0);
INSERT INTO public.signinglog VALUES (10, 'acme-brand', 'acme-gadget', 'A-0001', 'tOXobo_6Ivx625fJekv-axrwYlXZ3I7DwVop_fK41-UEJat1cpRAbixW6xA97BHm', '2018-03-01 10:08:00', 1, 0);


INSERT INTO public.substore VALUES (1, 1, 1, 'synthetic-store', 'A-0001', 'acme-gadget');


INSERT INTO public.userinfo VALUES (1, 'nobody', 'No Body; INSERT INTO model VALUES');


